/** From rows in order to sheets: what is live on top, what a summary stands for underneath it. Pure. */

/**
 * rows     of one session in seq order, any state
 * returns  `{ row, under: [sheets], gone }` in order. A summary takes every archived row above it since the last live
 *          row, older summaries with their own; a row that replaces one takes that one. `row` null: archived rows that
 *          nothing stands for.
 */
export function toSheets(rows) {
  const sheets = [];
  let archived = [];
  for (const row of rows) {
    const sheet = { row, under: [] };
    if (row.kind === 'summary') {
      sheet.under = archived;
      archived = [];
    } else if (row.replaces !== null) {
      sheet.under = archived.filter((one) => one.row.id === row.replaces);
      archived = archived.filter((one) => one.row.id !== row.replaces);
    }
    if (row.state === 'archived') archived.push(sheet);
    else {
      if (archived.length > 0) sheets.push({ row: null, under: archived });
      archived = [];
      sheets.push(sheet);
    }
  }
  if (archived.length > 0) sheets.push({ row: null, under: archived });
  return sheets;
}

/** Rows below a sheet, those below them included. */
export function countUnder(sheet) {
  return sheet.under.reduce((sum, one) => sum + 1 + countUnder(one), 0);
}
