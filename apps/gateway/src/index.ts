export type { GatewayDeps } from './deps.ts';
export { startGateway, type Adapter, type Gateway } from './start-gateway.ts';
