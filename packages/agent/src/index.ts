export * from './render-person.ts';
export * from './run-agent.ts';
export { interruptedText, type ToolBox } from './run-tools.ts';
export * from './system-prompt.ts';
export { readPayload } from './tools/read-payload.ts';
export { sessionSearch } from './tools/session-search.ts';
