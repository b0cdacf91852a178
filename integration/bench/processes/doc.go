// Package processes lets processes update one table as fast as they can, each
// with goroutines of its own, and measures what becomes of it.
//
//	func TestMain(m *testing.M) {
//		processes.Main()
//		os.Exit(m.Run())
//	}
//
//	result, err := processes.Run(ctx, processes.Config{
//		Location: "s3://bucket/t.lance", Options: options, Processes: 8, Goroutines: 8, For: 10 * time.Second,
//	})
//
// The processes are further ones of the same executable, which Main turns into
// writers. They share nothing but the store.
package processes
