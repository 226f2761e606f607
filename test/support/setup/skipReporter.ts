import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Prints at the end of a run why tests were skipped, and in which files: they must not pass for successful ones. */
export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = new Map<string, string[]>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        if (result.state !== 'skipped' || result.note === undefined) continue; // left out by a filter
        skipped.set(result.note, [...(skipped.get(result.note) ?? []), relative('', module.moduleId)]);
      }
    }
    if (skipped.size === 0) return;
    const lines = [...skipped].map(
      ([reason, files]) => `  ${files.length} × ${reason}: ${[...new Set(files)].join(', ')}`,
    );
    console.log(`Skipped tests (with REQUIRE_ALL=1 they fail instead):\n${lines.join('\n')}\n`);
  }
}
