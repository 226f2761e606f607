import type { Reporter, TestModule } from 'vitest/node';

/** Prints at the end of a run why tests were skipped: they must not pass for successful ones. */
export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const test of modules.flatMap((module) => [...module.children.allTests('skipped')])) {
      const result = test.result();
      if (result.state !== 'skipped' || result.note === undefined) continue; // left out by a filter
      counts.set(result.note, (counts.get(result.note) ?? 0) + 1);
    }
    if (counts.size === 0) return;
    const lines = [...counts].map(([reason, count]) => `  ${count} × ${reason}`);
    console.log(`Skipped tests (with REQUIRE_ALL=1 they fail instead):\n${lines.join('\n')}\n`);
  }
}
