import type { EvalContext } from '../context.ts';
import type { Services } from '../services/open-services.ts';
import type { BenchSizes } from './figures.ts';

/** What a bench is run with. */
export interface BenchInput extends EvalContext {
  services: Services;
  sizes: BenchSizes;
}
