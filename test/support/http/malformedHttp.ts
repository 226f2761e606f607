/** Requests that are malformed HTTP, or HTTP that the gateway does not support. */

export type NamedRequest = readonly [name: string, bytes: Buffer, path?: 'another path'];

export const TYPE = 'content-type: application/json';

/** Builds a request from its parts, unchecked. */
export function request(first: string, headers: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const lines = [first, 'host: gateway', 'connection: close', ...headers];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

export function post(body: string | Buffer, headers: readonly string[] = [TYPE]): Buffer {
  return request('POST /graphql HTTP/1.1', [...headers, `content-length: ${Buffer.byteLength(body)}`], body);
}

export const get = (search: string) => request(`GET /graphql${search} HTTP/1.1`, [TYPE]);
const start = (first: string) => request(first, [TYPE, 'content-length: 2'], '{}');
const posted = (header: string, body = '{}') => request('POST /graphql HTTP/1.1', [TYPE, header], body);
const chunked = (body: string) => posted('transfer-encoding: chunked', body);
const bare = (text: string) => Buffer.from(text, 'latin1');

/** One request per value. */
export function each(
  what: string,
  values: readonly string[],
  bytesOf: (value: string) => Buffer,
): NamedRequest[] {
  return values.map((value) => [`${what} ${JSON.stringify(value.slice(0, 60))}`, bytesOf(value)]);
}

/** Requests for another path than that of the endpoint. */
function elsewhere(requests: readonly NamedRequest[]): NamedRequest[] {
  return requests.map(([name, bytes]) => [name, bytes, 'another path']);
}

// oxfmt-ignore
export const malformedHttp: readonly NamedRequest[] = [
  ...each('method', [
    'ACL', 'BIND', 'CHECKOUT', 'COPY', 'DELETE', 'LINK', 'LOCK', 'M-SEARCH', 'MERGE', 'MKACTIVITY', 'MKCALENDAR', 'MKCOL',
    'MOVE', 'NOTIFY', 'OPTIONS', 'PATCH', 'PROPFIND', 'PROPPATCH', 'PURGE', 'PUT', 'QUERY', 'REBIND', 'REPORT', 'SEARCH', 'SOURCE',
    'SUBSCRIBE', 'TRACE', 'UNBIND', 'UNLINK', 'UNLOCK', 'UNSUBSCRIBE', 'GARBAGE', 'get', 'G\u00cbT', '\0', 'GET\t', '',
  ], (method) => request(`${method} /graphql HTTP/1.1`)),
  ...each('method with a body', ['PUT', 'DELETE', 'OPTIONS', 'PATCH', 'QUERY', 'LOCK'], (method) => start(`${method} /graphql HTTP/1.1`)),
  ...elsewhere(each('target', [
    '/graphql/', '/graphql/x', '/GraphQL', '//graphql', '/', '/%67raphqlx', '*', '/..%2f..%2fetc/passwd', '/graphql%00', '/%', '/%ff', '/graphql%',
    '/%c3%28', 'http://', 'http:///graphql', 'http://[/graphql', 'http://a?query={x}/graphql',
  ], (target) => start(`POST ${target} HTTP/1.1`))),
  ...each('target', ['graphql', '/gra phql', '/\u00ff', ''], (target) => start(`POST ${target} HTTP/1.1`)),
  ...each('version', ['HTTP/2.0', 'HTTP/3.7', 'HTTP/1.10', 'http/1.1', 'HTTP', ''], (version) => start(`POST /graphql ${version}`)),
  ['HTTP/0.9', bare('GET /graphql\r\n')],
  ['HTTP/1.0 without Host', bare('GET /graphql HTTP/1.0\r\n\r\n')],
  ['HTTP/2 by prior knowledge', bare('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  ['TLS', Buffer.from('16030100a5010000a10303', 'hex')],
  ['zeros', Buffer.alloc(100)],
  ['no Host', bare('GET /graphql?query={__typename} HTTP/1.1\r\nconnection: close\r\n\r\n')],
  ['two Hosts', request('POST /graphql HTTP/1.1', ['host: other', TYPE, 'content-length: 2'], '{}')],
  ['a Host that is none', bare(`POST /graphql HTTP/1.1\r\nhost: a b:/?@[\r\nconnection: close\r\n${TYPE}\r\ncontent-length: 2\r\n\r\n{}`)],
  ['ends of lines that are LF alone', bare('GET /graphql HTTP/1.1\nhost: a\n\n')],
  ...each('header', [
    'color', ': x', 'x: \0', 'x: a\r\n b', ' x: a', 'x : a', 'x\u00ff: a', `x: ${'a'.repeat(20_000)}`,
  ], (header) => request('GET /graphql HTTP/1.1', [header])),
  ['very many headers', request('GET /graphql HTTP/1.1', Array.from({ length: 3000 }, (_, index) => `x${index}: a`))],
  ['an upgrade', request('GET /graphql HTTP/1.1', ['upgrade: websocket', 'connection: upgrade', 'sec-websocket-key: a'])],
  ['a very long target', get(`?query={${'a'.repeat(20_000)}}`)],
  ...each('length', ['-1', '1e3', 'x', '0x2', '99999999999999999999', ' ', '1000', '10000000'], (length) => posted(`content-length: ${length}`)),
  ['two lengths', request('POST /graphql HTTP/1.1', [TYPE, 'content-length: 2', 'content-length: 3'], '{}')],
  ['a length and chunks', request('POST /graphql HTTP/1.1', [TYPE, 'content-length: 2', 'transfer-encoding: chunked'], '0\r\n\r\n')],
  ['no body', request('POST /graphql HTTP/1.1', [TYPE])],
  ['a body that is too large', post(JSON.stringify({ query: ' '.repeat(300_000) }))],
  ...each('chunks', ['zz\r\n{}\r\n0\r\n\r\n', '1\r\n{}\r\n0\r\n\r\n', 'ff\r\n{}', 'ffffffffffffffffff\r\n{}', '-1\r\n', '\r\n'], chunked),
  ...each('transfer coding', ['zip', 'chunked, zip', 'gzip, chunked'], (coding) => posted(`transfer-encoding: ${coding}`)),
  ...each('content type', [
    '', 'application/xml', 'application/graphql', 'text/plain', 'multipart/form-data; boundary=a', 'application/x-www-form-urlencoded',
    'application/json; charset=klingon', 'application/json; charset=utf-16', '/', 'application/', 'a'.repeat(500), 'application/json;;;=', '\u00ff/\u00ff',
  ], (type) => post('{}', [`content-type: ${type}`])),
  ['no content type', post('{}', [])],
  ...each('content coding', ['gzip', 'br', 'zip'], (coding) => post('{}', [TYPE, `content-encoding: ${coding}`])),
  ...each('expectation', ['200-maybe', '100-continue'], (expectation) => post('{}', [TYPE, `expect: ${expectation}`])),
];
