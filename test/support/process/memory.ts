/** The memory of a process: its limit, and what it has used at most. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import type { TestProcess } from './startProcess.js';

/**
 * A control group, where the tests may create one; elsewhere the heap limit is the only one. Version 2 has one hierarchy
 * for all controllers, and other names: https://docs.kernel.org/admin-guide/cgroup-v2.html#memory-interface-files
 */
const isVersion2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
const controlGroup = `/sys/fs/cgroup/${isVersion2 ? '' : 'memory/'}gateway-test-${process.pid}`;
const limitFile = `${controlGroup}/${isVersion2 ? 'memory.max' : 'memory.limit_in_bytes'}`;
const peakFile = `${controlGroup}/${isVersion2 ? 'memory.peak' : 'memory.max_usage_in_bytes'}`;

export function limitMemory({ child }: TestProcess, bytes: number): void {
  try {
    mkdirSync(controlGroup);
    writeFileSync(limitFile, String(bytes));
    writeFileSync(`${controlGroup}/cgroup.procs`, String(child.pid));
  } catch {
    console.log('No control group: the process has the heap limit alone');
  }
}

/** Once its process has ended. */
export function removeControlGroup(): void {
  if (existsSync(controlGroup)) rmdirSync(controlGroup);
}

/** Of the control group. */
export function peakMebibytes(): number | 'unknown' {
  return existsSync(peakFile) ? Math.round(Number(readFileSync(peakFile, 'utf8')) / 1_048_576) : 'unknown';
}

/** The most that the process has used so far. */
export function residentBytes({ child }: TestProcess): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
