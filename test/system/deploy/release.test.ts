/** What is released when, in a git repository with tags, changesets and a changelog. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { compareWithLastRelease } from '../../../scripts/compatibility/lastRelease.js';
import { PublicSurface, SURFACE_FILE } from '../../../scripts/compatibility/publicSurface.js';
import { releaseNotes } from '../../../scripts/release/changelog.js';
import { planRelease } from '../../../scripts/release/releasePlan.js';
import { expectNoUnreleased, setVersion, takeUnreleased } from '../../../scripts/release/setVersion.js';
import { root } from '../../support/deploy/deployment.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';

skipIf(reasonToSkip('git'));

const NAME = 'shipment-graphql-gateway';
const surface = { schema: ['type Query { item: Int other: Int }'], requestHeaders: ['x-dry-run'] };

let repository: string;
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'release-'));
  git('init', '--quiet', '--initial-branch=main');
  writeVersion('1.2.0');
  write('CHANGELOG.md', '# Changelog\n\n## 1.2.0\n\n- A fix\n');
  writeSurface(surface);
  commit();
});
afterEach(() => {
  rmSync(repository, { recursive: true });
});

function git(...args: string[]): string {
  const identity = [
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  return execFileSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8', env: minimalEnv });
}
function write(file: string, text: string): void {
  mkdirSync(dirname(join(repository, file)), { recursive: true });
  writeFileSync(join(repository, file), text);
}
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const readVersion = () => (JSON.parse(read('package.json')) as { version: string }).version;
function writeVersion(version: string): void {
  write('package.json', `${JSON.stringify({ name: NAME, version, private: true }, null, 2)}\n`);
}
function writeSurface(value: object): void {
  write(SURFACE_FILE, JSON.stringify(PublicSurface.parse(value)));
}
const writeChangeset = (type: string) => {
  write('.changeset/brave-cats-run.md', `---\n'${NAME}': ${type}\n---\n\nA change\n`);
};
function commit(): void {
  git('add', '.');
  git('commit', '--quiet', '--message=Change');
}

describe('The comparison with the last release', () => {
  test('has nothing to do before the first release', async () => {
    git('tag', 'nightly');
    expect(await compareWithLastRelease(repository)).toEqual({
      passed: true,
      report: 'No release yet: nothing to be compatible with',
    });
  });

  test('passes additions without a changeset', async () => {
    git('tag', 'v1.2.0');
    writeSurface({ ...surface, requestHeaders: ['x-dry-run', 'x-trace'] });
    expect(await compareWithLastRelease(repository)).toEqual({
      passed: true,
      report:
        'Changes since v1.2.0: 0 breaking, 0 dangerous, 1 safe\nsafe      Request header added: x-trace',
    });
  });

  const broken = { ...surface, schema: ['type Query { item: Int }'] };

  test.each([
    ['1.2.0', 'none', 'Expected a changeset of type major for the breaking changes, got none'],
    ['1.2.0', 'patch', 'Expected a changeset of type major for the breaking changes, got patch'],
    ['1.2.0', 'minor', 'Expected a changeset of type major for the breaking changes, got minor'],
    ['1.2.0', 'major', undefined],
    ['0.2.0', 'patch', 'Expected a changeset of type minor for the breaking changes, got patch'],
    ['0.2.0', 'minor', undefined],
  ])(
    'of a removed field after %s, with a changeset of type %s, ends with %j',
    async (version, type, problem) => {
      writeVersion(version);
      git('tag', `v${version}`);
      writeSurface(broken);
      if (type !== 'none') writeChangeset(type);
      expect(await compareWithLastRelease(repository)).toEqual({
        passed: problem === undefined,
        report: [
          `Changes since v${version}: 1 breaking, 0 dangerous, 0 safe`,
          "breaking  Schema: Field 'other' was removed from object type 'Query'",
          ...(problem === undefined ? [] : [problem]),
        ].join('\n'),
      });
    },
  );

  test.each([
    ['2.0.0', true],
    ['1.3.0', false],
  ])(
    'of a removed field in version %s, whose changesets are consumed, passes: %s',
    async (version, passed) => {
      git('tag', 'v1.2.0');
      writeSurface(broken);
      writeVersion(version);
      expect(await compareWithLastRelease(repository)).toMatchObject({ passed });
    },
  );

  test('takes the newest version, not the newest tag or a later branch', async () => {
    git('tag', 'v1.10.0');
    writeSurface(broken);
    commit();
    git('tag', 'v1.9.0');
    git('tag', 'v2.0.0-rc.1');
    git('checkout', '--quiet', '--orphan', 'other');
    commit();
    git('tag', 'v3.0.0');
    git('checkout', '--quiet', 'main');
    expect((await compareWithLastRelease(repository)).report).toMatch(/^Changes since v1\.10\.0: 1 breaking/);
  });

  test('fails in a shallow clone, which has no tags', async () => {
    git('tag', 'v1.2.0');
    writeSurface(broken);
    commit();
    const clone = mkdtempSync(join(tmpdir(), 'clone-'));
    onTestFinished(() => {
      rmSync(clone, { recursive: true });
    });
    git('clone', '--quiet', '--depth=1', pathToFileURL(repository).href, clone);
    await expect(compareWithLastRelease(clone)).rejects.toThrow(
      'Expected the whole history with its tags, got a shallow clone',
    );
  });
});

describe('A push to main', () => {
  test('publishes a version that has its notes but no tag, once', () => {
    expect(planRelease(repository)).toEqual({ action: 'publish', version: '1.2.0' });
    git('tag', 'v1.2.0');
    expect(planRelease(repository)).toEqual({ action: 'none', version: '1.2.0' });
  });

  test('publishes nothing without notes', () => {
    writeVersion('1.2.1');
    expect(planRelease(repository)).toEqual({ action: 'none', version: '1.2.1' });
  });

  test('makes the next version of pending changesets', () => {
    write('.changeset/README.md', '# Changesets\n');
    git('tag', 'v1.2.0');
    expect(planRelease(repository)).toMatchObject({ action: 'none' });
    writeChangeset('patch');
    expect(planRelease(repository)).toEqual({ action: 'version', version: '1.2.0' });
  });

  test('does nothing until the text of the first release has a version', () => {
    write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n- All\n');
    writeChangeset('minor');
    expect(planRelease(repository)).toEqual({ action: 'none', version: '1.2.0' });
    rmSync(join(repository, '.changeset'), { recursive: true });
    takeUnreleased(repository, '2.0.0');
    expect(planRelease(repository)).toEqual({ action: 'publish', version: '2.0.0' });
    expect(releaseNotes(read('CHANGELOG.md'), '2.0.0')).toBe('- All');
  });
});

describe('The next version', () => {
  beforeEach(() => {
    const lock = { name: NAME, version: '1.2.0', packages: { '': { name: NAME, version: '1.2.0' } } };
    write('package-lock.json', JSON.stringify(lock));
    write('deploy/compose.yaml', `image: ${NAME}:1.2.0\nredis: redis:1.2.0\n`);
    write('deploy/kubernetes/base/kustomization.yaml', `images:\n  - name: ${NAME}\n    newTag: 1.2.0\n`);
    write('docs/deployment.md', `docker build -t ${NAME}:1.2.0 .\n`);
    write('test/docs/examples.test.ts', `'docker build -t ${NAME}:1.2.0 .'\n`);
  });

  test(
    'takes its text and number from the changesets, and is written everywhere',
    { timeout: 60_000 },
    () => {
      cpSync(join(root, '.changeset/config.json'), join(repository, '.changeset/config.json'));
      writeChangeset('minor');
      commit();
      const changeset = join(root, 'node_modules/@changesets/cli/bin.js');
      const status = execFileSync(process.execPath, [changeset, 'status'], {
        cwd: repository,
        encoding: 'utf8',
      });
      expect(status).toMatch(/minor[\s\S]*shipment-graphql-gateway/);
      execFileSync(process.execPath, [changeset, 'version'], { cwd: repository, stdio: 'ignore' });
      setVersion(repository);

      expect(readVersion()).toBe('1.3.0');
      expect(releaseNotes(read('CHANGELOG.md'), '1.3.0')).toMatch(/^### Minor Changes\n\n- .*A change$/);
      expect(read('CHANGELOG.md')).toMatch(/^# Changelog\n\n## 1\.3\.0\n[\s\S]*\n## 1\.2\.0\n\n- A fix\n$/);
      expect(planRelease(repository)).toEqual({ action: 'publish', version: '1.3.0' });
      expect(JSON.parse(read('package-lock.json'))).toEqual({
        name: NAME,
        version: '1.3.0',
        packages: { '': { name: NAME, version: '1.3.0' } },
      });
      expect(read('deploy/compose.yaml')).toBe(`image: ${NAME}:1.3.0\nredis: redis:1.2.0\n`);
      expect(read('deploy/kubernetes/base/kustomization.yaml')).toContain('newTag: 1.3.0\n');
      expect(read('docs/deployment.md')).toContain(`${NAME}:1.3.0 `);
      expect(read('test/docs/examples.test.ts')).toContain(`${NAME}:1.3.0 `);
    },
  );

  test('is the given one for the first release, and for no other', () => {
    expect(() => {
      takeUnreleased(repository, '2.0.0');
    }).toThrow('Expected a section "## [Unreleased]" in CHANGELOG.md: later versions have changesets');
    write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n- All\n');
    expect(() => {
      expectNoUnreleased(repository);
    }).toThrow('Expected the version of the first release');
    expect(() => {
      takeUnreleased(repository, 'v2');
    }).toThrow('Expected a version such as 1.0.0, got "v2"');
    takeUnreleased(repository, '2.0.0');
    setVersion(repository);
    expect(readVersion()).toBe('2.0.0');
    expect(read('CHANGELOG.md')).toBe('# Changelog\n\n## 2.0.0\n\n- All\n');
    expect(read('deploy/compose.yaml')).toContain(`${NAME}:2.0.0\n`);
  });
});
