import { expect, test } from 'vitest';
import { serverOf } from '../../src/telemetry/labels.js';

test.each([
  ['http://service.test/v1', 'service.test', 80],
  ['https://service.test/v1', 'service.test', 443],
  ['https://[::1]:8443/', '::1', 8443],
])('the server of %s is %s with port %d', (url, address, port) => {
  expect(serverOf(new URL(url))).toEqual({ address, port });
});
