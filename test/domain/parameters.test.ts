import { describe, expect, test } from 'vitest';
import {
  appendQuery,
  fillPath,
  fitsQuery,
  guidProblem,
  hasGuidPlaceholder,
  parseBearerToken,
  pathTemplateProblem,
  tokenOf,
} from '../../src/domain/parameters.js';

const TEMPLATE = '/v1/customnotifications/{notificationGuid}';

describe('a path template', () => {
  test.each<[template: string, hasPlaceholder: boolean]>([
    [TEMPLATE, true],
    ['/{notificationGuid}', true],
    ['/v1/{notificationGuid}/definition/', true],
    ['/v1/n-{notificationGuid}.json', true],
    ['/{notificationGuid}/{notificationGuid}', true],
    ['/', false],
    ['/v1/customnotifications', false],
    ['/atlas/frexapi/shipment/track/', false],
    ['/v1//double', false],
    ["/a.b~c_d-e!$&'()*+,;=:@", false],
    ['/with%20space', false],
    ['/.../..x/.well-known', false],
  ])('such as %j is valid; with a placeholder: %o', (template, hasPlaceholder) => {
    expect(pathTemplateProblem(template)).toBeUndefined();
    expect(hasGuidPlaceholder(template)).toBe(hasPlaceholder);
  });

  test.each([
    ['', 'is empty'],
    ['v1/x', 'is relative'],
    ['https://service.example/x', 'is a URL'],
    ['//service.example/x', 'names another host'],
    ['/\\service.example/x', 'names another host for URL parsers'],
    ['/a?b=c', 'has a query'],
    ['/a#b', 'has a fragment'],
    ['/a b', 'has a space'],
    ['/a\n', 'has a line break'],
    ['/ü', 'has a letter that needs encoding'],
    ['/{guid}', 'has an unknown placeholder'],
    ['/{notificationGuid', 'has an unclosed placeholder'],
    ['/.', 'has a dot segment'],
    ['/a/..', 'has a dot segment'],
    ['/../a', 'has a dot segment'],
    ['/a/%2e%2E/b', 'has an encoded dot segment'],
  ])('such as %j is invalid because it %s', (template) => {
    expect(pathTemplateProblem(template)).toBe(
      `expected a path such as ${TEMPLATE}, got ${JSON.stringify(template)}`,
    );
  });
});

test.each([`/${'x'.repeat(1024)}`, '/{notificationGuid}/{notificationGuid}/{notificationGuid}'])(
  'a path template such as %j is too long for the longest identifiers',
  (template) => {
    expect(pathTemplateProblem(template)).toBe(
      'expected a path of at most 1024 characters and 2 placeholders',
    );
  },
);

/** Unusual identifiers and their paths. */
const unusualGuids: [guid: string, path: string][] = [
  ['e124b63a-74ab-43ac-abaf-d7512394501a', '/v1/customnotifications/e124b63a-74ab-43ac-abaf-d7512394501a'],
  ['...', '/v1/customnotifications/...'],
  ['.hidden', '/v1/customnotifications/.hidden'],
  ['%2e%2e', '/v1/customnotifications/%252e%252e'],
  ['a%2Fb', '/v1/customnotifications/a%252Fb'],
  ['a b?c=d#e', '/v1/customnotifications/a%20b%3Fc%3Dd%23e'],
  ['a;b,c&d+e', '/v1/customnotifications/a%3Bb%2Cc%26d%2Be'],
  ['ü€😀', '/v1/customnotifications/%C3%BC%E2%82%AC%F0%9F%98%80'],
  ['$&$1$`', '/v1/customnotifications/%24%26%241%24%60'],
  ['{notificationGuid}', '/v1/customnotifications/%7BnotificationGuid%7D'],
  ['a\u2028b', '/v1/customnotifications/a%E2%80%A8b'],
  ['x'.repeat(256), `/v1/customnotifications/${'x'.repeat(256)}`],
];

describe('fillPath', () => {
  test.each(unusualGuids)('encodes %j as one path segment', (guid, path) => {
    expect(guidProblem(guid)).toBeUndefined();
    expect(fillPath(TEMPLATE, guid)).toBe(path);

    const { pathname, search, hash } = new URL(path, 'http://service.example');
    expect({ segments: pathname.split('/').map(decodeURIComponent), search, hash }).toEqual({
      segments: ['', 'v1', 'customnotifications', guid],
      search: '',
      hash: '',
    });
  });

  test('fills in every placeholder of the template, if there are any', () => {
    expect(fillPath('/{notificationGuid}/of/{notificationGuid}/', 'a b')).toBe('/a%20b/of/a%20b/');
    expect(fillPath('/v1/customnotifications', 'a b')).toBe('/v1/customnotifications');
  });
});

describe('guidProblem', () => {
  test.each([
    ['x'.repeat(257), 'MAX_LENGTH', 'expected an identifier of at most 256 characters'],
    ['', 'NOT_EMPTY', 'expected a non-empty identifier'],
    [' \t ', 'NOT_EMPTY', 'expected a non-empty identifier'],
    ['\u00a0', 'NOT_EMPTY', 'expected a non-empty identifier'],
    ['.', 'CHARACTERS', 'expected an identifier that is not a dot segment'],
    ['..', 'CHARACTERS', 'expected an identifier that is not a dot segment'],
    ['\ud83d', 'CHARACTERS', 'expected well-formed Unicode'],
    ['a\ude00b', 'CHARACTERS', 'expected well-formed Unicode'],
    ...['/', '../x', 'a/b', 'a\\b', 'a\u0000', 'a\nb', '\u001f', 'a\u007f', 'a\u0085b', '\u009f'].map(
      (guid) => [guid, 'CHARACTERS', 'expected an identifier without slashes or control characters'],
    ),
  ])('reports for %j: %s, %s', (guid, rule, message) => {
    expect(guidProblem(guid)).toEqual({ rule, message, ...(rule === 'MAX_LENGTH' && { limit: 256 }) });
  });
});

describe('fitsQuery', () => {
  test.each([[''], ['text'], ['ü😀'], [0], [-1.5], [true], [false], [[]], [['a', 1, true]]])(
    'accepts %j',
    (value) => {
      expect(fitsQuery(value)).toBe(true);
    },
  );

  test.each([
    [null],
    [undefined],
    [{}],
    [{ a: 1 }],
    [[null]],
    [['a', {}]],
    [[['a']]],
    ['\ud83d'],
    [['a', '\ude00']],
    [Symbol('s')],
    [1n],
  ])('rejects %o', (value) => {
    expect(fitsQuery(value)).toBe(false);
  });
});

describe('appendQuery', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['no parameters', {}, '/x'],
    ['an empty array', { a: [] }, '/x'],
    ['one parameter', { a: 'b' }, '/x?a=b'],
    ['several parameters in their order', { z: 1, a: true, m: -1.5 }, '/x?z=1&a=true&m=-1.5'],
    ['an array as one parameter per element', { a: ['b', 2, false], c: 'd' }, '/x?a=b&a=2&a=false&c=d'],
    ['an empty string', { a: '' }, '/x?a='],
    ['reserved characters', { 'a&b=c': 'd&e=f#g?h+i%j k/l' }, '/x?a%26b%3Dc=d%26e%3Df%23g%3Fh%2Bi%25j+k%2Fl'],
    ['line breaks', { a: 'b\r\nc' }, '/x?a=b%0D%0Ac'],
    ['non-ASCII characters', { ü: '😀' }, '/x?%C3%BC=%F0%9F%98%80'],
  ])('encodes %s', (_name, parameters, path) => {
    expect(appendQuery('/x', parameters)).toBe(path);
  });
});

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
