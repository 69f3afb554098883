export { contextReader, type ContextParts, type ContextReader } from './context/context-reader.ts';
export { createPages } from './create-pages.ts';
export type { AccountHealth, LocalIntake, PagesDeps, TypedMessage } from './deps.ts';
export { startHttp, type HttpOptions, type HttpService } from './start-http.ts';
