/** Reads how many tests passed and failed from the file that vitest's JSON reporter wrote. */
import { readFileSync } from 'node:fs';

export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface JsonReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * Count single tests. A file that could not even be loaded has no test to count and is one failure; so is a
 * report that is not there, and an exit code that says failure when no test does (an error outside any test).
 */
export function countTests(reportFile: string, exitCode: number): TestCount {
  const report = readReport(reportFile);
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const states = report.testResults.flatMap((file) => file.assertionResults.map((test) => test.status));
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const passed = states.filter((state) => state === 'passed').length;
  const failed = states.filter((state) => state === 'failed').length + broken.length;
  const unexplained = failed === 0 && (exitCode !== 0 || passed === 0);
  return {
    passed,
    failed: unexplained ? 1 : failed,
    skipped: states.length - passed - (failed - broken.length),
  };
}

function readReport(reportFile: string): JsonReport | undefined {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8')) as JsonReport;
  } catch {
    return undefined; // vitest ended before it could write one, and has said why.
  }
}
