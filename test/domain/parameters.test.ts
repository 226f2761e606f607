import { describe, expect, test } from 'vitest';
import { fillPath, hasGuidPlaceholder, pathTemplateProblem } from '../../src/domain/parameters.js';

const TEMPLATE = '/v1/customnotifications/{notificationGuid}';

describe('a path template', () => {
  test.each<[hasPlaceholder: boolean, templates: string[]]>([
    [
      true,
      [
        TEMPLATE,
        '/{notificationGuid}',
        '/v1/{notificationGuid}/definition/',
        '/v1/n-{notificationGuid}.json',
        '/v1?notificationGuid={notificationGuid}',
        '/v1/x?a=b&id={notificationGuid}&c=1,2',
      ],
    ],
    [
      false,
      [
        '/',
        '/v1//double',
        "/a.b~c_d-e!$&'()*+,;=:@",
        '/with%20space',
        '/.../..x/.well-known',
        '/v1?tenant=5',
      ],
    ],
  ])('is valid, with a placeholder: %o', (hasPlaceholder, templates) => {
    expect(templates.map(pathTemplateProblem)).toEqual(templates.map(() => undefined));
    expect(templates.map(hasGuidPlaceholder)).toEqual(templates.map(() => hasPlaceholder));
  });

  test.each([
    ['', 'is empty'],
    ['v1/x', 'is relative'],
    ['https://service.example/x', 'is a URL'],
    ['//service.example/x', 'names another host'],
    ['/\\service.example/x', 'names another host for URL parsers'],
    ['/a?', 'has an empty query'],
    ['?a=b', 'has no path'],
    ['/a?b=c?d', 'has two queries'],
    ['/a?b=c/d', 'has a slash in its query'],
    ["/a?b='c", 'has a quote that a URL parser encodes in a query'],
    ['/a/..?b=c', 'has a dot segment before its query'],
    ['/a#b', 'has a fragment'],
    ['/a b', 'has a space'],
    ['/a\n', 'has a line break'],
    ['/ü', 'has a letter that needs encoding'],
    ['/{guid}', 'has an unknown placeholder'],
    ['/{notificationGuid', 'has an unclosed placeholder'],
    ['/.', 'has a dot segment'],
    ['/a/..', 'has a dot segment'],
    ['/a/%2e%2E/b', 'has an encoded dot segment'],
  ])('such as %j is invalid because it %s', (template) => {
    expect(pathTemplateProblem(template)).toBe(
      `expected a path such as ${TEMPLATE}, got ${JSON.stringify(template)}`,
    );
  });
});

test('an identifier fills in every placeholder of a template, if there are any', () => {
  expect(fillPath('/{notificationGuid}/of/{notificationGuid}/', 'a b')).toBe('/a%20b/of/a%20b/');
  expect(fillPath('/v1/customnotifications', 'a b')).toBe('/v1/customnotifications');
});
