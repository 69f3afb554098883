import {
  emptyDcpState,
  type DcpChange,
  type DcpCounter,
  type DcpRef,
  type DcpState,
  type RowHeader,
  type TranscriptView,
} from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import { assignRefs } from '../refs/assign-refs.ts';
import { groupUnits } from '../refs/group-units.ts';
import { layOut, shownRows, type DcpLayout } from '../transform/lay-out.ts';
import { measureLayout, type DcpSizes } from '../transform/measure.ts';
import { applyChange } from './apply-change.ts';

/** What a request said at its end, so that the same request says it again. */
export interface ShownTail {
  /** Names the request by its rows and the state it was made from. */
  key: string;
  /** null: nothing. */
  nudge: string | null;
}

type Queued = Omit<DcpChange, 'baseVersion'>;

interface Seen {
  rows: readonly RowHeader[];
  version: number;
  layout: DcpLayout;
  sizes: DcpSizes;
}

/** The state of one claimed session: as it was loaded, and as the changes handed out since have left it. */
export class DcpDesk {
  readonly config: DcpConfig;
  #state: DcpState;
  tail: ShownTail | null = null;
  /** The version that is stored; plans of the round that runs come on top. */
  #storedVersion: number;
  /** Waits for the next change that is stored: what a session begins with. */
  #queued: Queued = {};
  /** The version that what waits was made on, and that is stored; null: nothing waits. */
  #queuedOn: number | null = null;
  /** What went out with requests whose round may not be stored yet; the rows up to that one are the same for all. */
  #sent: { lastRowId: number | undefined; change: DcpChange } | null = null;
  #seen: Seen | null = null;

  readonly #isSubAgent: boolean;

  constructor(config: DcpConfig, state: DcpState | null, { isSubAgent = false } = {}) {
    this.config = config;
    this.#isSubAgent = isSubAgent;
    const stored = state ?? emptyDcpState();
    const isNew = stored.version === 0 && stored.nextRef === 1;
    this.#state = stored;
    this.#storedVersion = stored.version;
    if (isNew && config.manualMode.enabled) this.queue({ manualMode: true });
  }

  get state(): DcpState {
    return this.#state;
  }

  /** The state with a ref for every unit, and the refs that are new in it; nothing is changed by asking. */
  withRefs({ rows }: Pick<TranscriptView, 'rows'>): { state: DcpState; refs: readonly DcpRef[] } {
    const assigned = assignRefs(this.#state, groupUnits(rows), { isSubAgent: this.#isSubAgent });
    const refs = assigned.kind === 'assigned' ? assigned.refs : [];
    if (refs.length === 0) return { state: this.#state, refs };
    return { state: applyChange(this.#state, { baseVersion: this.#state.version, refs }), refs };
  }

  /**
   * The provider refused the newest request, so that its round will never be stored: what all that follows stands on waits
   * for the next change. What the request said at its end is void.
   */
  takeBack({ rows }: Pick<TranscriptView, 'rows'>): void {
    if (!this.#sent || this.#sent.lastRowId !== rows.at(-1)?.id) return;
    const { baseVersion, refs, blocks, manualMode } = this.#sent.change;
    this.#queuedOn = baseVersion;
    this.#queued = {
      ...(refs ? { refs } : {}),
      ...(blocks ? { blocks } : {}),
      ...(manualMode === undefined ? {} : { manualMode }),
    };
    this.#sent = null;
  }

  /** Add to the change of the next request. */
  queue(change: Queued): void {
    this.#queuedOn ??= this.#state.version;
    this.#queued = together(this.#queued, change);
    this.#state = applyChange(this.#state, { baseVersion: this.#state.version, ...change });
  }

  /** The change of a request, with what waited for one; each is handed out once. null: nothing changes. */
  handOut(view: Pick<TranscriptView, 'rows'>, change: Queued): DcpChange | null {
    const whole = this.takeAlong({ baseVersion: this.#state.version, ...change });
    this.#state = applyChange(this.#state, { baseVersion: this.#state.version, ...change });
    this.#storedVersion = this.#state.version;
    this.#sent = { lastRowId: view.rows.at(-1)?.id, change: this.#sentWith(view, whole) };
    return Object.keys(whole).length > 1 ? whole : null;
  }

  /**
   * What a call leaves that made no plan. It raises no version, and is stored before the plans of its round; the plan of
   * an earlier call of the round has raised the version here already.
   */
  noteCall(change: Queued): DcpChange {
    const whole = this.takeAlong({ baseVersion: this.#storedVersion, ...change });
    this.#state = applyChange(this.#state, whole);
    return whole;
  }

  /** With what went out for the same rows before: none of it is stored yet. */
  #sentWith({ rows }: Pick<TranscriptView, 'rows'>, change: DcpChange): DcpChange {
    if (this.#sent?.lastRowId !== rows.at(-1)?.id) return change;
    const { baseVersion, ...earlier } = this.#sent!.change;
    return { ...together(earlier, change), baseVersion };
  }

  /** A change with what waited for one. A plan takes it along too: the engine is built anew behind it. */
  takeAlong(change: DcpChange): DcpChange {
    const { baseVersion, ...own } = change;
    const whole = { baseVersion: this.#queuedOn ?? baseVersion, ...together(this.#queued, own) };
    this.#queued = {};
    this.#queuedOn = null;
    return whole;
  }

  /** A plan went out: from now on all is decided on what it leaves. */
  apply(change: DcpChange): void {
    this.#state = applyChange(this.#state, change);
  }

  /** Where the live rows go and what that weighs; told anew when rows, blocks or marks changed. */
  look(view: Pick<TranscriptView, 'rows'>): Pick<Seen, 'layout' | 'sizes'> {
    const { version } = this.#state;
    const { rows } = view;
    if (this.#seen?.rows === rows && this.#seen.version === version) return this.#seen;
    const layout = layOut(this.#state, rows);
    const sizes = measureLayout(layout, this.#state, this.config);
    this.#seen = { rows, version, layout, sizes };
    return this.#seen;
  }

  measure(view: TranscriptView): { tokens: number; rows: number } {
    if (!this.config.enabled) return plainSize(view.rows);
    const { layout, sizes } = this.look(view);
    return { tokens: sizes.tokens, rows: shownRows(layout) };
  }
}

function plainSize(rows: readonly RowHeader[]): { tokens: number; rows: number } {
  return { tokens: rows.reduce((sum, row) => sum + row.tokens, 0), rows: rows.length };
}

/** Both in one: counts add up; refs, blocks and lines for operators follow each other; else the later one holds. */
function together(earlier: Queued, later: Queued): Queued {
  const change = { ...earlier, ...later };
  if (earlier.events && later.events) change.events = [...earlier.events, ...later.events];
  if (earlier.refs && later.refs) change.refs = [...earlier.refs, ...later.refs];
  if (earlier.blocks && later.blocks) change.blocks = [...earlier.blocks, ...later.blocks];
  if (earlier.counts && later.counts) {
    const counts: Partial<Record<DcpCounter, number>> = { ...earlier.counts };
    for (const [name, count] of Object.entries(later.counts) as [DcpCounter, number][])
      counts[name] = (counts[name] ?? 0) + count;
    change.counts = counts;
  }
  return change;
}
