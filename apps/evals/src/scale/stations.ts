/**
 * The service on paper: an open network of queues. Every message passes every station; what a station has of servers and how
 * long a message keeps one of them busy decides how many it lets through, and how long they wait for it.
 */

export interface Station {
  readonly name: string;
  /** Processes, threads or slots that work side by side. */
  readonly servers: number;
  /** Busy time of one of them a message, mean of an exponential distribution. */
  readonly serviceMs: number;
}

/** Measured milliseconds of processor a message, by who spends them. */
export interface ServiceTimes {
  gatewayMs: number;
  workerMs: number;
  postgresMs: number;
  redisMs: number;
}

export interface Setup {
  gateways: number;
  workers: number;
  /** Turns that a worker runs at once. */
  concurrency: number;
  postgresCores: number;
  /** How long the model takes to answer. */
  modelMs: number;
}

/** In the order of a message's way. Redis runs commands on one thread; a worker's own code runs on one, whatever it waits for. */
export function stationsOf(times: ServiceTimes, setup: Setup): readonly Station[] {
  return [
    { name: 'gateway', servers: setup.gateways, serviceMs: times.gatewayMs },
    { name: 'redis', servers: 1, serviceMs: times.redisMs },
    { name: 'worker', servers: setup.workers, serviceMs: times.workerMs },
    { name: 'model_slots', servers: setup.workers * setup.concurrency, serviceMs: setup.modelMs },
    { name: 'postgres', servers: setup.postgresCores, serviceMs: times.postgresMs },
  ].filter(({ serviceMs }) => serviceMs > 0);
}

/** Messages a second that a station lets through when it never rests. */
export function capacityOf({ servers, serviceMs }: Station): number {
  return (servers * 1000) / serviceMs;
}

/** The station that is full first. */
export function bottleneckOf(stations: readonly Station[]): Station {
  return stations.reduce((least, one) => (capacityOf(one) < capacityOf(least) ? one : least));
}

/** Mean milliseconds from a message's arrival to its end at all stations together; Infinity when one cannot keep up. */
export function meanResponseMs(stations: readonly Station[], perSecond: number): number {
  return stations.reduce((sum, station) => sum + responseMs(station, perSecond), 0);
}

/** M/M/c: the service itself, and the wait by Erlang's C formula. */
function responseMs({ servers, serviceMs }: Station, perSecond: number): number {
  const offered = (perSecond * serviceMs) / 1000;
  if (offered >= servers) return Infinity;
  return serviceMs + (waitShare(servers, offered) * serviceMs) / (servers - offered);
}

/** Erlang C from Erlang B's recursion, which stays in range for thousands of servers. */
function waitShare(servers: number, offered: number): number {
  let blocked = 1;
  for (let count = 1; count <= servers; count += 1)
    blocked = (offered * blocked) / (count + offered * blocked);
  return (servers * blocked) / (servers - offered * (1 - blocked));
}
