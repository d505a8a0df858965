/* A caller in C99: everything the C interface offers, right and wrong calls. Exit code 0 if all is as promised. */
#include <stdio.h>
#include <string.h>

#include "stridelock/c_api.h"

const stridelock_contract* abi_old_own_mla(void);
const stridelock_contract* abi_old_own_paged(void);

static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "expected %s\n", what);
}

static int equals(stridelock_text text, const char* expected) {
  return text.size == strlen(expected) && (text.size == 0 || memcmp(text.data, expected, text.size) == 0);
}

static stridelock_tensor tensor(const void* data, uint8_t type_code, const int64_t* extents,
                                const int64_t* strides) {
  stridelock_tensor t;
  memset(&t, 0, sizeof t);
  t.data = data;
  t.extents = extents;
  t.strides = strides;
  t.rank = 2;
  t.device_kind = 2;
  t.device_ordinal = 1;
  t.type_code = type_code;
  t.type_bits = 32;
  t.type_lanes = 1;
  return t;
}

int main(void) {
  static const int data[8 * 16];
  static const int64_t q_extents[] = {8, 8}, extents[] = {8, 4}, strides[] = {16, 1};
  const stridelock_tensor q = tensor(data, 2, q_extents, NULL);
  const stridelock_tensor narrow = tensor(data, 0, extents, strides);
  const stridelock_tensor dense = tensor(data, 0, extents, NULL);
  const stridelock_tensor* bad[3];
  const stridelock_tensor* good[3];
  const stridelock_contract* mla = abi_old_own_mla();
  stridelock_report report;
  stridelock_violation violation;
  stridelock_symbol symbol;
  stridelock_parameter limit = {"limit", 64};
  stridelock_context context;
  char message[1024];
  size_t length;

  bad[0] = good[0] = &q;
  bad[1] = &narrow;
  good[1] = &dense;
  bad[2] = good[2] = NULL;

  expect(equals(stridelock_v1_contract_name(mla), "mla"), "the contract's name");
  expect(stridelock_v1_argument_count(mla) == 3, "three arguments");
  expect(equals(stridelock_v1_argument_name(mla, 1), "indices"), "the second argument's name");
  expect(equals(stridelock_v1_argument_name(mla, 3), ""), "no fourth argument");
  expect(equals(stridelock_v1_contract_name(abi_old_own_paged()), "paged"), "a contract that is no dispatch");

  expect(stridelock_v1_check(mla, good, 3, NULL, NULL) == STRIDELOCK_OK, "dense rows to be fine");
  expect(stridelock_v1_check(mla, good, 3, NULL, &report) == STRIDELOCK_OK, "dense rows to be fine");
  stridelock_v1_report_text(&report, message, sizeof message);
  expect(strcmp(message, "ok") == 0 && report.violation_count == 0, "a report that is fine");
  stridelock_v1_report_release(&report);

  expect(stridelock_v1_check(mla, bad, 3, NULL, &report) == STRIDELOCK_REFUSED, "a pitched view to be refused");
  expect(report.verdict == STRIDELOCK_REFUSED && report.violation_count == 1 && !report.incomplete, "one violation");
  expect(report.device_ordinal == 1 && equals(report.branch, "paged"), "the device and the branch of the call");
  expect(stridelock_v1_report_violation(&report, report.headline, &violation) == 1, "the violation");
  expect(equals(violation.kind, "row_pitch") && equals(violation.evidence, "checked"), "its kind and evidence");
  expect(equals(violation.argument_name, "indices") && equals(violation.where, "paged.cu:12"), "its argument");
  expect(violation.found == 16 && violation.needed == 4 && violation.argument == 1, "its numbers");
  expect(stridelock_v1_report_violation(&report, 1, &violation) == 0, "no second violation");
  expect(stridelock_v1_report_violation(&report, -1, &violation) == 0, "no violation -1");
  expect(stridelock_v1_report_symbol(&report, 0, &symbol) == 1, "a symbol");
  expect(equals(symbol.name, "T") && symbol.bound && symbol.value == 8, "T = 8");
  length = stridelock_v1_report_text(&report, message, sizeof message);
  expect(length < sizeof message && strlen(message) == length, "the whole text");
  expect(strstr(message, "row pitch is 16, needs 4") != NULL, "the text to state the fact");
  expect(stridelock_v1_report_text(&report, message, 8) == length && strlen(message) == 7, "a text cut to the buffer");
  expect(stridelock_v1_report_text(&report, NULL, 0) == length, "a length without a buffer");
  stridelock_v1_report_release(&report);
  expect(report.content == NULL && report.verdict == STRIDELOCK_OK, "a released report to be empty");
  stridelock_v1_report_release(&report);

  memset(&context, 0, sizeof context);
  context.parameters = &limit;
  context.parameter_count = 1;
  expect(stridelock_v1_check(mla, bad, 3, &context, NULL) == STRIDELOCK_SILENT, "the other branch not to look");

  expect(stridelock_v1_check(NULL, bad, 3, NULL, &report) == STRIDELOCK_REFUSED && report.incomplete, "no contract");
  stridelock_v1_report_text(&report, message, sizeof message);
  expect(strstr(message, "without a contract") != NULL, "a text for a wrong call");
  stridelock_v1_report_release(&report);
  expect(stridelock_v1_check(mla, bad, -1, NULL, &report) == STRIDELOCK_REFUSED && report.incomplete, "a bad count");
  stridelock_v1_report_release(&report);
  expect(stridelock_v1_check(mla, bad, 2, NULL, &report) == STRIDELOCK_REFUSED, "an argument too few");
  expect(stridelock_v1_report_violation(&report, 0, &violation) == 1 && equals(violation.kind, "argument_count"),
         "a wrong number of arguments to be a violation");
  stridelock_v1_report_release(&report);
  expect(stridelock_v1_check(mla, NULL, 3, NULL, &report) == STRIDELOCK_REFUSED, "absent arguments");
  stridelock_v1_report_release(&report);
  stridelock_v1_report_release(NULL);
  return failures == 0 ? 0 : 1;
}
