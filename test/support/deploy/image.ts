/** Copies what the Dockerfile's image has into a folder, without a container engine: what its build makes is the project's dist/. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dockerfileInstruction, dockerfileInstructions, readText, root } from './deployment.js';

export type Image = ReturnType<typeof buildImage>;

const WORKDIR = '/app/';
/** What the build reads (scripts/buildIfStale.js, scripts/writeClientPackage.ts). */
const BUILD_SOURCES = [
  ...['src', 'schema', 'scripts', 'LICENSE', 'tsconfig.json', 'tsconfig.build.json'],
  ...['package.json', 'package-lock.json'],
];

/** The Node.js and the Bash of this machine stand for those of the base image. */
export function buildImage(folder: string) {
  const built: string[] = [];
  let stages = 0;
  for (const [instruction, rest] of dockerfileInstructions()) {
    if (instruction === 'FROM') stages += 1;
    if (instruction !== 'COPY') continue;
    const words = rest.split(' ');
    const isBuilt = words[0] === '--from=build';
    const target = words.pop() ?? '';
    const sources = words.slice(isBuilt ? 1 : 0);
    if (!isBuilt) for (const source of sources) expectInContext(source);
    if (stages === 1) built.push(...sources);
    else copy(isBuilt ? sources.map((source) => source.slice(WORKDIR.length)) : sources, folder, target);
  }
  const missing = BUILD_SOURCES.filter((path) => !built.includes(path));
  if (missing.length > 0) throw new Error(`Expected the build stage to copy ${missing.join(', ')}`);
  const healthcheck = dockerfileInstruction('HEALTHCHECK');
  const command = JSON.parse(dockerfileInstruction('CMD')) as string[];
  return {
    /** Stands for the image's working directory. */
    folder,
    environment: Object.fromEntries(
      dockerfileInstruction('ENV')
        .split(' ')
        .map((each) => each.split('=') as [string, string]),
    ),
    /** Without the options of V8, which the Node.js of this machine may not know: .ci/run gives them to that of the image. */
    command: command.filter((word) => !word.startsWith('--')),
    healthcheck: JSON.parse(healthcheck.slice(healthcheck.indexOf('['))) as string[],
    user: Number(dockerfileInstruction('USER').split(':')[0]),
  };
}

function copy(sources: readonly string[], folder: string, target: string): void {
  if (target.endsWith('/')) mkdirSync(join(folder, target), { recursive: true });
  execFileSync('sh', ['-c', `cp -r ${sources.join(' ')} "$1"`, 'sh', join(folder, target)], { cwd: root });
}

/** .dockerignore excludes everything and re-includes what the image needs. */
function expectInContext(path: string): void {
  const [all, ...exceptions] = readText('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (all !== '*' || !exceptions.includes(`!${path}`)) throw new Error(`.dockerignore excludes ${path}`);
}
