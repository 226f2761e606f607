import { describe, expect, test } from 'vitest';
import { parseBearerToken, tokenOf } from '../../src/domain/bearerToken.js';

describe('parseBearerToken', () => {
  test.each(['Bearer abc', 'bearer abc', 'BEARER   abc', 'Bearer A-Z.a_z~0+9/', 'Bearer abc=='])(
    'returns %j unchanged',
    (authorization) => {
      expect(parseBearerToken(authorization)).toBe(authorization);
    },
  );

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer =',
    'Bearer a=b',
    'Bearer a b',
    'Bearer abc ',
    ' Bearer abc',
    'Bearer abc\n',
    'Bearer abc, Bearer def',
    'Bearer ü',
    'Basic abc',
  ])('rejects %j', (authorization) => {
    expect(parseBearerToken(authorization)).toBeUndefined();
  });
});

test.each([
  ['Bearer abc', 'abc'],
  ['bearer   a.b~c==', 'a.b~c=='],
])('tokenOf extracts the token from %j', (authorization, token) => {
  expect(tokenOf(authorization)).toBe(token);
});
