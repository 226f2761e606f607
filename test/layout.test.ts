import { describe, expect, test } from 'vitest';
import { resolvers } from '../src/resolvers/index.js';
import { createSchema } from '../src/schema.js';
import { readModule, readSourceModules, type SourceModule } from './support/sourceModules.js';

const modules = readSourceModules();
const programs = ['src/main.ts', 'src/reference-service/main.ts'];

describe('arrows point one way', () => {
  const graphql = /^(?:graphql|@apollo|@graphql-tools|@as-integrations|dataloader)(?:[-/]|$)/;
  const http = /^(?:undici|fastify|@fastify\/.*|(?:node:)?(?:http|https|http2|net|tls))$/;

  test.each<[string, RegExp, RegExp]>([
    ['the REST side knows no GraphQL', /^src\/(?:service|reference-service)\//, graphql],
    ['the REST side imports nothing else of ours', /^src\/service\//, /^src\/(?!service\/)/],
    [
      'the reference service imports nothing else of ours',
      /^src\/reference-service\//,
      /^src\/(?!reference-service\/)/,
    ],
    ['loaders import nothing of ours but the REST side', /^src\/loaders\//, /^src\/(?!loaders\/|service\/)/],
    ['resolvers and arguments know no HTTP', /^src\/(?:resolvers|arguments)\//, http],
    [
      'resolvers send nothing themselves',
      /^src\/resolvers\//,
      /^src\/(?:service\/(?!(?:contract|recipientType)\.ts)|http\/|reference-service\/|(?:gateway|config|main)\.ts)/,
    ],
  ])('%s', (_rule, from, forbidden) => {
    const bound = modules.filter(({ path }) => from.test(path));
    expect(bound.length).toBeGreaterThan(0);
    expect(
      bound.flatMap(({ path, imports }) =>
        imports.filter(({ of }) => forbidden.test(of)).map(({ of }) => `${path} → ${of}`),
      ),
    ).toEqual([]);
  });

  test.each<[string, string[]]>([
    ['undici', ['src/service/connections.ts']],
    ['src/gateway.ts', ['src/index.ts', 'src/main.ts']],
    ['src/index.ts', []],
    ['src/reference-service/referenceService.ts', ['src/main.ts', 'src/reference-service/main.ts']],
    ['src/main.ts', []],
  ])('at run time %s is imported by none but %j', (of, importers) => {
    expect(
      modules
        .filter(({ imports }) => imports.some((each) => each.of === of && each.atRunTime))
        .map(({ path }) => path),
    ).toEqual(importers);
  });

  test('only the table of errors knows the errors of the REST side', () => {
    const importers = modules.filter(({ imports }) =>
      imports.some(({ of }) => of === 'src/service/errors.ts'),
    );
    expect(importers.map(({ path }) => path).filter((path) => !path.startsWith('src/service/'))).toEqual([
      'src/errors.ts',
    ]);
  });

  test('no modules import each other in a circle', () => {
    expect(circlesOf(modules)).toEqual([]);
  });
});

test('only the program reads the environment', () => {
  expect(
    modules
      .filter(({ text }) => /process\s*\.\s*env|process\[|node:process/.test(text))
      .map(({ path }) => path),
  ).toEqual(['src/main.ts']);
});

test('importing a module does nothing, unless it is a program, or prepares V8 for one', () => {
  expect(modules.filter(({ effects }) => effects.length > 0).map(({ path }) => path)).toEqual([
    ...programs,
    'src/v8Flags.ts',
  ]);
});

describe('resolvers', () => {
  const files = modules.filter(({ path }) => path.startsWith('src/resolvers/'));
  const tables = files.filter(({ path }) => !/\/(?:index|scalars)\.ts$/.test(path));
  const nameOf = ({ path }: SourceModule) => path.replace(/^.*\/|\.ts$/g, '');

  test('each file exports one name, its own, which is a type of the schema', () => {
    const schema = createSchema();
    expect(tables.map(({ path, exports }) => [path, exports])).toEqual(
      tables.map((file) => [file.path, [nameOf(file)]]),
    );
    expect(tables.map(nameOf).filter((name) => schema.getType(name) === undefined)).toEqual([]);
  });

  test('all of them are in use', () => {
    expect(Object.keys(resolvers).sort()).toEqual(tables.map(nameOf).sort());
  });

  test('none catches an error', () => {
    expect(files.filter(({ tryStatements }) => tryStatements > 0).map(({ path }) => path)).toEqual([]);
  });
});

describe('the reading of modules itself', () => {
  test('finds imports, exports, effects and try statements', () => {
    const text = `
      import 'a';
      import b from 'b';
      import { type c } from './c.js';
      import type { d } from '../d.js';
      export * from './e.js';
      export type { f } from './f.js';
      export const g = async () => { try { await import('./h.js'); } catch {} }, i = 1;
      export function j(k: import('./l.js').K) {}
      export interface M { n: string }
      export { b as o };
      const p = 2;
      g();
    `;
    expect(readModule('src/x/y.ts', text)).toEqual({
      path: 'src/x/y.ts',
      text,
      imports: [
        { of: 'a', atRunTime: true },
        { of: 'b', atRunTime: true },
        { of: 'src/x/c.ts', atRunTime: true },
        { of: 'src/d.ts', atRunTime: false },
        { of: 'src/x/e.ts', atRunTime: true },
        { of: 'src/x/f.ts', atRunTime: false },
        { of: 'src/x/h.ts', atRunTime: true },
        { of: 'src/x/l.ts', atRunTime: false },
      ],
      exports: ['*', 'f', 'g', 'i', 'j', 'M', 'o'],
      effects: ["import 'a';", 'g();'],
      tryStatements: 1,
    });
  });

  test('finds circles', () => {
    const circle = [
      readModule('a.ts', "import './b.js';"),
      readModule('b.ts', "import './c.js'; import type { X } from './a.js';"),
      readModule('c.ts', "import './b.js';"),
    ];
    expect(circlesOf(circle)).toEqual(['b.ts → c.ts → b.ts']);
  });
});

/** Circles of imports at run time, one for each that closes. */
function circlesOf(all: SourceModule[]): string[] {
  const byPath = new Map(all.map((each) => [each.path, each]));
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): string[] => {
    if (trail.includes(path)) return [[...trail.slice(trail.indexOf(path)), path].join(' → ')];
    if (done.has(path)) return [];
    const circles = (byPath.get(path)?.imports ?? [])
      .filter(({ atRunTime }) => atRunTime)
      .flatMap(({ of }) => visit(of, [...trail, path]));
    done.add(path);
    return circles;
  };
  return all.flatMap(({ path }) => visit(path, []));
}
