package bench

// PricesRead is when the prices were read.
const PricesRead = "October 2026"

// Prices are what a million requests cost in US dollars, at the public list price
// of one kind of bucket in one region, without a hierarchical namespace. Deletes
// are free in all of them. A request that is refused costs as much as one that is
// not.
type Prices struct {
	Store  string `json:"store"`
	Class  string `json:"class"`
	Region string `json:"region"`
	// Source is the page that has the price.
	Source string  `json:"source"`
	Put    float64 `json:"put_usd_per_million"`
	Head   float64 `json:"head_usd_per_million"`
	List   float64 `json:"list_usd_per_million"`
	Get    float64 `json:"get_usd_per_million"`
}

// ListPrices are those of the clouds.
var ListPrices = []Prices{
	// PUT and LIST $0.005, GET and all others $0.0004 for 1,000.
	{"S3", "Standard", "us-east-1", "Amazon S3 pricing, https://aws.amazon.com/s3/pricing/", 5, 0.4, 5, 0.4},
	// Class A (insert, list) $0.0050, class B (get of data and metadata) $0.0004
	// for 1,000.
	{"GCS", "Standard, single region", "us-east1",
		"Cloud Storage pricing, https://cloud.google.com/storage/pricing", 5, 0.4, 5, 0.4},
	// Write, and list and create container, $0.05, read and all others $0.004
	// for 10,000. Which request is of which kind: "Map each REST operation to a
	// price" in Microsoft's documentation.
	{"Azure", "Block Blob, hot, LRS", "East US",
		"Azure Blob Storage pricing, https://azure.microsoft.com/pricing/details/storage/blobs/", 5, 0.4, 5, 0.4},
}

// Of returns what so many requests cost, a million times. The hint file is left
// out, since these clouds list in order.
func (p Prices) Of(r Requests) float64 {
	return rounded(p.Put*r.Put+p.Head*r.Head+p.List*r.List+p.Get*r.Get, 2)
}

// Costs are what the measured requests cost where they are charged for, whatever
// store was measured. It is requests only: no storage and no traffic.
type Costs struct {
	PricesRead string `json:"prices_read"`
	// ContendedWriters is how many writers with a handle each the contended
	// commits are of.
	ContendedWriters int    `json:"contended_writers"`
	Stores           []Cost `json:"stores"`
}

// A Cost is in US dollars for a million calls each.
type Cost struct {
	Prices
	Commits          float64 `json:"usd_per_million_commits"`
	ContendedCommits float64 `json:"usd_per_million_contended_commits"`
	ColdLookups      float64 `json:"usd_per_million_cold_lookups"`
	WarmLookups      float64 `json:"usd_per_million_warm_lookups"`
}

// costsOf works the costs of a report out. The contended commits are those of the
// most writers.
func costsOf(r Report) Costs {
	costs := Costs{PricesRead: PricesRead}
	var most Contention
	for _, c := range r.Contention {
		if c.Form == HandleEach && c.Writers > most.Writers {
			most = c
		}
	}
	costs.ContendedWriters = most.Writers
	for _, p := range ListPrices {
		costs.Stores = append(costs.Stores, Cost{
			Prices:           p,
			Commits:          p.Of(r.Operations.Commit.Requests),
			ContendedCommits: p.Of(most.Requests),
			ColdLookups:      p.Of(r.Operations.LatestCold.Requests),
			WarmLookups:      p.Of(r.Operations.LatestWarm.Requests),
		})
	}
	return costs
}
