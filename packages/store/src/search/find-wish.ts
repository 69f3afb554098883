/** What is looked for, where, and how much of it is shown. */
export interface FindWish {
  /** As it was asked, for the dates in it. */
  query: string;
  scope: readonly string[];
  limit: number;
  /** Rows shown on each side of a hit. */
  neighbours: number;
  /** The session whose live rows are left out. */
  withoutLiveOf?: string;
}
