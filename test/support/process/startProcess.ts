/** Child processes of tests, and what they print. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { minimalEnv } from './minimalEnv.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { PATH = '' } = minimalEnv;

export type TestProcess = ReturnType<typeof startProcess>;

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ProcessOptions {
  /** All environment variables except PATH. */
  env?: Readonly<Record<string, string>>;
  /** Opens a channel for messages. @default false */
  ipc?: boolean;
  /** @default the root folder of the project */
  cwd?: string;
  /** Id of the user, and of the group, to run as. @default the same */
  user?: number;
  /** File descriptor of the standard output, or a pipe that nothing reads. @default what `printed` and `output` read */
  stdout?: number | 'unread';
}

const running = new Set<ChildProcess>();
process.once('exit', killProcesses);

/** Kills every process that is still running, even if its test failed. */
export function killProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}

export function startProcess(
  command: string,
  args: readonly string[],
  { env = {}, ipc = false, cwd = root, user, stdout: target }: ProcessOptions = {},
) {
  const child = spawn(command, args, {
    cwd,
    env: { PATH, ...env },
    stdio: [
      'ignore',
      typeof target === 'number' ? target : 'pipe',
      'pipe',
      ...(ipc ? (['ipc'] as const) : []),
    ],
    ...(user !== undefined && { uid: user, gid: user }),
  });
  running.add(child);
  let stdout = '';
  let stderr = '';
  if (target !== 'unread') child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const exited = new Promise<ProcessExit>((resolve, reject) => {
    child.once('error', reject);
    child.once(
      target === 'unread' ? 'exit' : 'close',
      (code: number | null, signal: NodeJS.Signals | null) => {
        running.delete(child);
        resolve({ code, signal, stdout, stderr });
      },
    );
  });
  return {
    child,
    exited,
    /** The standard output so far. */
    output: () => stdout,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Resolves once the standard output matches; rejects if the process exits before that. */
    printed: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(stdout);
          if (!match) return;
          child.stdout?.off('data', check); // or it would search all output again with each chunk
          resolve(match);
        };
        child.stdout?.on('data', check);
        exited.then((exit) => {
          reject(new Error(`Expected output that matches ${String(pattern)}, got ${JSON.stringify(exit)}`));
        }, reject);
        check();
      }),
  };
}
