/** Rules of ours for the workflows of GitHub Actions. Each function takes the text of a workflow and returns the violations. */
import { parse } from 'yaml';

interface Step {
  name?: string;
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  permissions?: Record<string, string>;
  env?: Record<string, string>;
  uses?: string;
  steps?: Step[];
  'timeout-minutes'?: number;
}

interface Workflow {
  on: Record<string, unknown>;
  permissions?: unknown;
  concurrency?: unknown;
  env?: Record<string, string>;
  jobs: Record<string, Job>;
}

/** They run with the repository's secrets on what anybody may have written. */
const PRIVILEGED_EVENTS = ['pull_request_target', 'workflow_run', 'issue_comment'];

export function readWorkflow(text: string): Workflow {
  return parse(text) as Workflow;
}

/** Actions that are not pinned to a commit, with the version for readers and for updates; local ones need no pin. */
export function pinProblems(text: string): string[] {
  const uses = [...text.matchAll(/^ +(?:- )?uses: (.*)$/gm)].map(([, action = '']) => action);
  return uses
    .filter((action) => !action.startsWith('./'))
    .filter((action) => !/^[\w.-]+\/[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))
    .map((action) => `${action}: expected a commit of 40 hex digits and a comment with the version`);
}

/** What a workflow could do to the repository beyond its task. */
export function privilegeProblems(text: string): string[] {
  const { on, permissions, env, jobs } = readWorkflow(text);
  const events = PRIVILEGED_EVENTS.filter((event) => event in on);
  const perJob = Object.entries(jobs).flatMap(([name, job]) =>
    [
      job.permissions === undefined && `${name}: expected permissions`,
      hasSecret(job.env) && `${name}: expected secrets in the env of steps only`,
      ...(job.steps ?? []).map(
        ({ uses = '', with: input }) =>
          uses.startsWith('actions/checkout@') &&
          input?.['persist-credentials'] !== false &&
          `${name}: expected persist-credentials: false`,
      ),
    ].filter((problem) => problem !== false),
  );
  return [
    ...events.map((event) => `expected another event than ${event}`),
    ...(JSON.stringify(permissions) === '{}' ? [] : ['expected permissions: {} at the top']),
    ...(hasSecret(env) ? ['expected secrets in the env of steps only'] : []),
    ...perJob,
  ];
}

/** Commands that contain an expression: its value could be another command. Steps get values by `env` instead. */
export function injectionProblems(text: string): string[] {
  return Object.entries(readWorkflow(text).jobs).flatMap(([name, { steps = [] }]) =>
    steps
      .filter(({ run = '' }) => run.includes('${{'))
      .map(({ run = '' }) => `${name}: expected no expression in ${run.trim()}`),
  );
}

/** Jobs that could run for hours, and workflows that could run twice at the same time. */
export function limitProblems(text: string): string[] {
  const { concurrency, jobs } = readWorkflow(text);
  const endless = Object.entries(jobs).filter(
    ([, job]) => job.uses === undefined && !(Number(job['timeout-minutes']) <= 60),
  );
  return [
    ...(concurrency === undefined ? ['expected concurrency'] : []),
    ...endless.map(([name]) => `${name}: expected timeout-minutes of at most 60`),
  ];
}

/** Per job what it may write, for a comparison with what it needs. */
export function writePermissions(text: string): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(readWorkflow(text).jobs).map(([name, { permissions = {} }]) => [
      name,
      Object.keys(permissions).filter((scope) => permissions[scope] === 'write'),
    ]),
  );
}

function hasSecret(env: Record<string, string> = {}): boolean {
  return Object.values(env).some((value) => /\bsecrets\.|\bgithub\.token\b/.test(value));
}
