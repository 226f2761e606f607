/** Which proxy an origin is behind, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say. */
import { expect, test } from 'vitest';
import { NoProxy } from '../../src/config/valueSchemas.js';
import { authorizationOf, proxyFor } from '../../src/transport/connector.js';

const httpProxy = new URL('http://egress.test:3128');
const httpsProxy = new URL('https://secure-egress.test');

const isProxied = (origin: string, noProxy = '') =>
  proxyFor(new URL(origin), { httpProxy, httpsProxy, noProxy: NoProxy.parse(noProxy) }) !== undefined;

test('each scheme has a proxy of its own, and none takes that of the other', () => {
  const proxies = { httpProxy, httpsProxy };
  expect(proxyFor(new URL('http://service.test'), proxies)).toBe(httpProxy);
  expect(proxyFor(new URL('https://service.test'), proxies)).toBe(httpsProxy);
  expect(proxyFor(new URL('https://service.test'), { httpProxy })).toBeUndefined();
  expect(proxyFor(new URL('http://service.test'), { httpsProxy })).toBeUndefined();
  expect(proxyFor(new URL('http://service.test'), {})).toBeUndefined();
});

test.each([
  ['user:pass%20w%C3%B6rd', 'user:pass wörd'],
  ['user', 'user:'],
  [':password', ':password'],
])('the credentials %s are sent as %s', (credentials, expected) => {
  expect(authorizationOf(new URL(`http://${credentials}@egress.test`))).toBe(
    `Basic ${Buffer.from(expected).toString('base64')}`,
  );
});

test.each([
  ['https://service.test', '*'],
  ['https://service.test', 'other.test, *'],
  ['https://service.test', 'service.test'],
  ['https://service.test', 'SERVICE.Test'],
  ['https://service.test', ' other.test\tservice.test\n'],
  ['https://service.test', 'other.test,,service.test,'],
  ['https://service.test.', 'service.test'],
  ['https://service.test', 'service.test.'],
  ['https://a.b.service.test', 'service.test'],
  ['https://a.b.service.test', '.service.test'],
  ['https://a.b.service.test', '*.service.test'],
  ['https://service.test', '.service.test'],
  ['https://service.test', 'service.test:443'],
  ['https://service.test:8443', 'service.test:8443'],
  ['http://service.test', '.test:80'],
  ['https://xn--bcher-kva.test', 'bücher.test'],
  ['https://10.0.0.5', '10.0.0.5'],
  ['https://[2001:db8::1]', '2001:db8::1'],
  ['https://[2001:db8::1]', '[2001:DB8:0::1]'],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:8443'],
  ['https://10.1.2.3', '10.0.0.0/8'],
  ['https://10.1.2.3:8443', '.svc,10.1.2.3/32'],
  ['https://[fd00::1]', 'fd00::/8'],
])('%s is called without a proxy if NO_PROXY is "%s"', (origin, noProxy) => {
  expect(isProxied(origin)).toBe(true);
  expect(isProxied(origin, noProxy)).toBe(false);
});

test.each([
  ['https://service.test', ''],
  ['https://service.test', ' , '],
  ['https://service.test', 'other.test'],
  ['https://service.test', 'vice.test'],
  ['https://service.test', 'a.service.test'],
  ['https://service.test', 'service.test:80'],
  ['https://service.test:8443', 'service.test:443'],
  ['https://service.test', 'service'],
  ['https://11.0.0.1', '10.0.0.0/8'],
  ['https://10.service.test', '10.0.0.0/8'],
  ['https://[fe00::1]', 'fd00::/8'],
  ['https://[2001:db8::1]', '2001:db8::2'],
  ['https://[2001:db8::1]', '[2001:db8::1]:8443'],
])('%s is called through the proxy if NO_PROXY is "%s"', (origin, noProxy) => {
  expect(isProxied(origin, noProxy)).toBe(true);
});
