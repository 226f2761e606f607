/** Writes to the file CI_REPORT what .ci/run says at its end: each failure, hooks and loading included, and how many tests passed. */
import { writeFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export default class CiReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const file = process.env['CI_REPORT'] ?? '';
    const lines: string[] = [];
    const addFailures = (where: string, errors: readonly SerializedError[]) => {
      for (const { message } of errors)
        lines.push(`FAILED ${basename(file)}: ${where}: ${message.split('\n', 1)[0]}`);
    };
    let passed = 0;
    for (const module of modules) {
      const path = relative('', module.moduleId);
      addFailures(path, module.errors());
      for (const suite of module.children.allSuites())
        addFailures(`${path} > ${suite.fullName}`, suite.errors());
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') addFailures(`${path} > ${test.fullName}`, errors.slice(0, 1));
      }
    }
    addFailures('outside of tests', unhandled);
    writeFileSync(file, [...lines, `passed ${passed}`, ''].join('\n'));
  }
}
