import { dollarWords, type Config, type Store } from '@palimpsest/core';

/** What everybody together may use in a day, and has; US dollars. */
export interface BudgetOfToday {
  dollars: number;
  used: number;
}

/** Null where the config sets none. What a single person has used is told in the chat, by /usage. */
export async function budgetOfToday(
  { usage }: Pick<Store, 'usage'>,
  config: Config,
): Promise<BudgetOfToday | null> {
  const dollars = config.model.daily_budget.installation_dollars;
  if (dollars === null) return null;
  const { installation: used } = await usage.today({ platform: 'local', userId: '' });
  return { dollars, used };
}

export function budgetLine({ dollars, used }: BudgetOfToday): string {
  return `budget      ${dollarWords(used)} of ${dollarWords(dollars)} used today by everybody`;
}
