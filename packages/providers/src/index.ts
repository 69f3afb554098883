export type { ModelKeys } from './choose-route.ts';
export { createModelClient, createSummaryModel } from './create-model.ts';
export type { ModelInput } from './create-model.ts';
export { createSummariser } from './model-summariser.ts';
export type { SummariserOptions } from './model-summariser.ts';
export { isClaude, modelFacts } from './models/model-table.ts';
export type { ModelFacts } from './models/model-table.ts';
export { startLine } from './start-line.ts';
export { openToolServers } from './mcp/open-tool-servers.ts';
