/** Accessibility of a page as axe judges it, WCAG 2.2 A and AA with its good practice. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Violation {
  id: string;
  help: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** What is wrong, one line a place; empty when nothing is. */
export async function accessProblems(page: Page): Promise<string[]> {
  // As a script of the test and not of the page, since the page's own policy lets nothing foreign in.
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations;
  });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${id}: ${help} at ${target.join(' ')} (${failureSummary.split('\n').slice(1).join(' ').trim()})`,
    ),
  );
}
