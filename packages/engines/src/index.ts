export { compressorFactory } from './compressor/engine.ts';
export { resolveTrigger, type ResolvedTrigger, type ThresholdInput } from './compressor/resolve-threshold.ts';
export { dcpFactory, type DcpParts } from './dcp/engine.ts';
export { engineRegistry, type EngineRegistry } from './engine-registry.ts';
export { lcmFactory, type LcmOptions } from './lcm/lcm-factory.ts';
export { resolveModelThreshold } from './resolve-model-threshold.ts';
export {
  LcmContextEngine,
  type LcmContextEngineOptions,
  type PlainMessage,
  type StandAlonePorts,
} from './lcm/stand-alone.ts';
