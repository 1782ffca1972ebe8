// What changes from run to run, as graph/parameters.h writes it.
struct Parameters {
  tokens: u32,    // active tokens of this run
  position: u32,  // of the first of them in the sequence
  reserved_0: u32,
  reserved_1: u32,
}
