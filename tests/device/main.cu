// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

unsigned cases = 0;

// Learns how many cases the command line selects, and prints nothing.
struct case_counter : doctest::IReporter {
  explicit case_counter(doctest::ContextOptions const&) {}
  void report_query(doctest::QueryData const& query) override {
    cases = query.run_stats->numTestCasesPassingFilters;
  }
  void test_run_start() override {}
  void test_run_end(doctest::TestRunStats const&) override {}
  void test_case_start(doctest::TestCaseData const&) override {}
  void test_case_reenter(doctest::TestCaseData const&) override {}
  void test_case_end(doctest::CurrentTestCaseStats const&) override {}
  void test_case_exception(doctest::TestCaseException const&) override {}
  void subcase_start(doctest::SubcaseSignature const&) override {}
  void subcase_end() override {}
  void log_assert(doctest::AssertData const&) override {}
  void log_message(doctest::MessageData const&) override {}
  void test_case_skipped(doctest::TestCaseData const&) override {}
};
DOCTEST_REGISTER_REPORTER("case_counter", 0, case_counter);

bool asks_a_question(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    for (char const* question : {"-h", "--help", "-v", "--version", "-c", "--count", "-l", "--list"}) {
      bool const is_long = question[1] == '-';
      if (is_long ? std::strncmp(argv[i], question, std::strlen(question)) == 0
                  : std::strcmp(argv[i], question) == 0) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  cudaError_t const found = cudaGetDeviceCount(&devices);
  if ((found != cudaSuccess || devices == 0) && !asks_a_question(argc, argv)) {
    std::vector<char const*> arguments(argv, argv + argc);
    arguments.push_back("--count");
    arguments.push_back("--reporters=case_counter");
    doctest::Context(static_cast<int>(arguments.size()), arguments.data()).run();
    std::printf("no CUDA device: %u cases skipped (%s)\n", cases, cudaGetErrorString(found));
    return 77;  // CTest's SKIP_RETURN_CODE
  }
  return doctest::Context(argc, argv).run();
}
