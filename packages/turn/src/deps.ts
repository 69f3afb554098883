import type {
  Clock,
  Config,
  EngineFactory,
  Logger,
  Meter,
  ModelClient,
  ModelMenu,
  Queue,
  Session,
  Store,
  Summariser,
  Tool,
  Tracer,
  Transcriber,
} from '@palimpsest/core';

/** What answers a session and what writes its summaries. */
export type SessionModels = Pick<TurnDeps, 'model' | 'summariser' | 'mainSummariser'>;

/** Everything the main path needs, handed in once by the worker. */
export interface TurnDeps {
  store: Pick<Store, 'turns' | 'transcript' | 'compactions' | 'erase'> &
    Partial<Pick<Store, 'usage' | 'lcm' | 'links'>>;
  queue: Pick<Queue, 'wake' | 'deliver' | 'maintain'>;
  /** An unknown engine name gives the compressor and a warning to log. */
  findEngine(name: string): { factory: EngineFactory; warning: string | null };
  /** Names that /engine may choose; left out: it can only tell whether one is known. */
  engineNames?: readonly string[];
  model: ModelClient;
  summariser: Summariser;
  /** The main model as summariser, where it is another than `summariser`: tried once when that one fails. */
  mainSummariser?: Summariser;
  /** The models of a session whose person chose others; left out: the ones above serve everybody. */
  modelsFor?(session: Session): SessionModels;
  /** Writes down voice messages; left out: they are not listened to. */
  transcriber?: Transcriber;
  /** What /model offers; left out: there is nothing to choose from. */
  models?: ModelMenu;
  /** What the session's prompt names, in that order. */
  toolsFor(session: Session): readonly Tool[] | Promise<readonly Tool[]>;
  /** The same as they are to be from now on, asked when the system prompt is written; left out: they never change. */
  fixTools?(session: Session): Promise<readonly Tool[]>;
  config: Config;
  clock: Clock;
  logger: Logger;
  meter: Meter;
  /** Left out: nothing is traced. */
  tracer?: Tracer;
  /** Name of this process in lease rows; unique. */
  owner: string;
}
