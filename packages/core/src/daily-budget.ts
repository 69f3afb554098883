import type { Config } from './config/schema.ts';
import { dollarWords } from './cost.ts';
import type { UsageOfToday } from './ports/usage-store.ts';

/** Whose dollars are limited, or whose answers (`turns`). */
export const budgetOwners = ['person', 'installation', 'turns'] as const;

/** One limit of a day and what of it is used: US dollars, or answers (`turns`). */
export interface Budget {
  whose: (typeof budgetOwners)[number];
  limit: number;
  used: number;
}

type Limits = Config['model']['daily_budget'];

/** Whether the config limits anything by the day. */
export function hasBudget({ person_turns, person_dollars, installation_dollars }: Limits): boolean {
  return [person_turns, person_dollars, installation_dollars].some((limit) => limit !== null);
}

/** The limits that the config sets, with what was used of them today. */
export function budgetsOf(limits: Limits, today: UsageOfToday): Budget[] {
  return [
    ...budgetOf('turns', limits.person_turns, today.personTurns),
    ...budgetOf('person', limits.person_dollars, today.person),
    ...budgetOf('installation', limits.installation_dollars, today.installation),
  ];
}

function budgetOf(whose: Budget['whose'], limit: number | null, used: number): Budget[] {
  return limit === null ? [] : [{ whose, limit, used }];
}

/** For operators: `$0.40 of $2.00 used today by the person`. */
export function budgetWords({ whose, limit, used }: Budget): string {
  if (whose === 'turns') return `${used} of ${limit} answers given today to the person`;
  const who = whose === 'person' ? 'the person' : 'everybody';
  return `${dollarWords(used)} of ${dollarWords(limit)} used today by ${who}`;
}
