/** A gateway under test: a process of its own on a core of its own, and what the kernel says about it. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The gateway under test has a core of its own; the load and the REST service share the other. */
export const GATEWAY_CORE = 0;
export const OTHER_CORE = 1;

export interface Command {
  file: string;
  arguments: readonly string[];
  env?: Readonly<Record<string, string>>;
}

export interface Program {
  readonly port: number;
  /** Time from the start of the process to its first right answer. */
  readonly coldStartMs: number;
  /** Time on the processor up to now, in seconds. */
  cpuSeconds(): number;
  residentBytes(): number;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  command: (port: number) => Command;
  /** Receives all that the program prints. */
  logFile: string;
  folder: string;
  /** Asks the program for an answer; throws when it is the wrong one, or there is none yet. */
  isReady: (port: number) => Promise<unknown>;
}

const START_TIMEOUT_MS = 60_000;
const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString());

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const port = await freePort();
  const { file, arguments: args, env } = options.command(port);
  const log = openSync(options.logFile, 'w');
  const startedAt = performance.now();
  const child = spawn('taskset', ['-c', String(GATEWAY_CORE), file, ...args], {
    cwd: options.folder,
    env: { PATH: process.env['PATH'], HOME: options.folder, NODE_ENV: 'production', ...env },
    stdio: ['ignore', log, log],
    detached: true, // a group of its own, which ends as a whole
  });
  closeSync(log);
  endWithThisProcess(child);
  try {
    await waitUntilReady(child, () => options.isReady(port), startedAt + START_TIMEOUT_MS);
  } catch (cause) {
    kill(child, 'SIGKILL');
    throw new Error(`${file} ${args.join(' ')} did not start:\n${tail(options.logFile)}`, { cause });
  }
  const coldStartMs = performance.now() - startedAt;
  const pids = () => withDescendants(child.pid ?? 0);
  return {
    port,
    coldStartMs,
    cpuSeconds: () => sum(pids().map(cpuTicks)) / TICKS_PER_SECOND,
    residentBytes: () => sum(pids().map(residentBytes)),
    stop: () => stop(child),
  };
}

/** Ends a process, and all that it started, at the latest when this one ends. */
export function endWithThisProcess(child: ChildProcess): void {
  const onExit = () => {
    kill(child, 'SIGKILL');
  };
  process.on('exit', onExit);
  child.once('exit', () => process.off('exit', onExit));
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  kill(child, 'SIGTERM');
  const patience = setTimeout(() => {
    kill(child, 'SIGKILL');
  }, 5000);
  await exited;
  clearTimeout(patience);
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The whole group has ended already.
  }
}

async function waitUntilReady(
  child: ChildProcess,
  isReady: () => Promise<unknown>,
  deadline: number,
): Promise<void> {
  for (;;) {
    try {
      await isReady();
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline) throw error;
      await sleep(5);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function withDescendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => withDescendants(Number(child)))];
}

/** Time in user and in kernel mode: fields 14 and 15 of proc_pid_stat(5), counted behind the name in parentheses. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').split('\n').slice(-20).join('\n');
}
