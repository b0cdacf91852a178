// Package simulation runs many committers, readers and deleters against one
// store with faults, in the fake time of testing/synctest, and checks what each
// call was told against what the store did.
//
// A [Config] is one small world; [Draw] makes one from a seed. [Run] must be
// called inside a bubble of synctest. A request goes from a table through the
// gate of its process, what Config.Decorate puts there, the injector of faults
// and the network to the truth, which is the memory store with a record.
//
// A world without Update does the same every time that it runs. With Update one
// thing comes from no seed: the jitter of the pauses after a lost race, and
// before a writer that wins lets others in. The gate rounds most of it away, so
// that about two of three worlds repeat; run the others more than once.
package simulation
