import { describe, expect, test } from 'vitest';
import { reportsFailure } from '../../src/freight/reportedFailure.js';

describe('a failure is reported by', () => {
  test.each<[what: string, bodies: unknown[]]>([
    [
      'a flag for success, in any spelling',
      [
        { success: false },
        { isSuccess: false, message: 'x' },
        { IsSuccessful: 'False' },
        { SUCCESS: 0 },
        { ok: false },
        { succeeded: false, errors: [] },
        { request_successful: 'no' },
        { data: false },
        { result: 'false' },
      ],
    ],
    [
      'a flag for failure',
      [
        { error: true },
        { isError: 'true' },
        { 'has-errors': true },
        { failed: true },
        { unsuccessful: true },
      ],
    ],
    [
      'an error that is not empty',
      [
        { error: 'not found' },
        { errors: ['x'] },
        { errors: { name: ['x'] } },
        { errors: 2 },
        { validationErrors: [{ field: 'x' }] },
        { error: { code: 5 } },
        { error: 'not successful' },
        { fault: { faultstring: 'x' } },
        { errcode: 40_013, errmsg: 'invalid' },
        { ErrorCode: 'E102' },
        { errorMessage: 'Exception not found' },
        { error: JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown },
      ],
    ],
    [
      'a status',
      [
        { status: 'error' },
        { Status: 'FAILED' },
        { status: 404, title: 'x' },
        { statusCode: 404, message: 'x' },
        { status_code: '500' },
        { status: '404 Not Found' },
        { status: 'Not Found' },
        { code: 400 },
        { result: 'failure' },
        { kind: 'Status', status: 'Failure' },
      ],
    ],
    [
      'what stands in an envelope',
      [
        { result: { success: false } },
        { data: { success: false } },
        { d: { Success: false } },
        { status: { code: 503 } },
        { response: { header: { status: 'error' } } },
        { Envelope: { Body: { Fault: { faultstring: 'x' } } } },
        [{ id: 1, success: false, errors: [{ message: 'x' }] }],
      ],
    ],
  ])('%s', (_what, bodies) => {
    expect(bodies.filter((body) => !reportsFailure(body))).toEqual([]);
  });
});

describe('no failure is reported by', () => {
  test.each<[what: string, bodies: unknown[]]>([
    [
      'other values than objects and lists of them',
      [undefined, null, true, false, 404, 'error', ['error'], [404]],
    ],
    [
      'a body that says nothing, or success',
      [
        {},
        [],
        { success: true },
        { ok: true, error: null },
        { status: 'success' },
        { status: 'ok' },
        { status: 'deleted' },
        { status: 'gone' },
        { status: 200 },
        { statusCode: 204 },
        { status: null },
        { result: null, data: null },
        { message: 'Exception not found' },
        { data: [], messages: ['x'], totalPossibleCount: 0 },
      ],
    ],
    [
      'an error that is empty, or none',
      [
        { error: null, errors: [] },
        { error: '' },
        { error: false },
        { error: {} },
        { error: 'none' },
        { hasErrors: 'false' },
        { errors: 0, failed: 0 },
        { errors: { name: [] } },
        { errors: [null, ''] },
        { errcode: 0, errmsg: 'ok' },
        { ErrorCode: '000', ErrorMessage: 'Operation completed successfully' },
        { errorCode: '200', errorMessage: 'No errors occurred' },
      ],
    ],
    ['an error next to a flag for success', [{ success: true, errors: ['The email was not sent'] }]],
    [
      'what records may have',
      [
        { data: { status: 'error' } },
        { data: [{ success: false }] },
        { deleted: false },
        { created: false, updated: true },
        { exceptionGuid: 'x', exception: { type: 'exception' } },
        { default: 'x', result: 0 },
        { a: { b: { success: false } } },
      ],
    ],
  ])('%s', (_what, bodies) => {
    expect(bodies.filter(reportsFailure)).toEqual([]);
  });
});
