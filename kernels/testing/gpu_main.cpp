// main() of tests that need a GPU: ends with 77 where every test was skipped, so that no caller takes that for passed.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int code = RUN_ALL_TESTS();
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  const bool nothing_ran = all.test_to_run_count() > 0 && all.skipped_test_count() == all.test_to_run_count();
  return code == 0 && nothing_ran ? 77 : code;
}
