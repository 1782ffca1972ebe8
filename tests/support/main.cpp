// The main function of the test programs. It leaves without the destructors of the process: devices that tests share
// stay open to the end, and drivers would clear away their own parts, in an order of their own, while their threads
// still run. SwiftShader's even crash where its device goes after PoCL has loaded some hundred kernels.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const int result = RUN_ALL_TESTS();
  std::fflush(nullptr);
  std::_Exit(result);
}
