import { counter, fromStart, gauge, histogram, type MetricTable } from '../metric-entry.ts';

const lagBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];
const turnBuckets = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1_800];
const wakeBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60];
const visibleBuckets = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];
const waitBuckets = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Messages on their way: intake, turns, delivery. */
export const flowMetrics: MetricTable = {
  gateway_inbound_updates_total: counter('Updates received, by what became of them', [
    'platform',
    'kind',
    'result',
  ]),
  gateway_inbound_drop_reasons_total: counter('Why updates went no further', ['platform', 'reason']),
  gateway_inbound_lag_seconds: histogram("From the platform's date to the commit", lagBuckets, ['platform']),
  gateway_telegram_poll_last_success_timestamp_seconds: gauge('When getUpdates last answered', ['bot']),
  gateway_telegram_conflicts_total: counter('409 answers: another program polls the same bot', ['bot']),
  gateway_telegram_webhook_pending_updates: gauge('Updates Telegram still holds', ['bot']),
  gateway_discord_gateway_events_total: counter('Life of the gateway connection', ['event']),
  gateway_discord_last_dispatch_timestamp_seconds: gauge('When an event last came in', ['shard']),
  gateway_discord_last_alive_timestamp_seconds: gauge(
    'When an event or the acknowledgement of a heartbeat last came in',
    ['shard'],
  ),
  gateway_discord_heartbeat_latency_seconds: gauge('From heartbeat to its acknowledgement', ['shard']),
  gateway_discord_backfill_messages_total: counter('Messages read by REST after a fresh READY', ['result']),
  gateway_discord_invalid_requests_total: counter(
    '401, 403 and 429 answers; 10,000 in 10 minutes ban the address',
    ['status'],
  ),
  gateway_media_total: counter('Files of messages that were asked for, by what came of it', [
    'platform',
    'kind',
    'outcome',
  ]),
  gateway_mailbox_pending_messages: gauge('Accepted messages not yet claimed', ['platform']),
  gateway_mailbox_oldest_pending_age_seconds: gauge('Age of the oldest accepted message not yet claimed', [
    'platform',
  ]),
  gateway_wake_latency_seconds: histogram('From the commit of a message to its claim', wakeBuckets),
  gateway_sweeper_rewakes_total: counter('Wake-ups that were lost and repeated; healthy near 0', ['cause']),
  gateway_turns_total: counter('Turns', ['platform', 'outcome']),
  gateway_turn_duration_seconds: histogram('Time of one turn', turnBuckets, ['platform', 'outcome']),
  gateway_time_to_first_visible_seconds: histogram('From message to the first visible sign', visibleBuckets, [
    'platform',
  ]),
  gateway_time_to_final_reply_seconds: histogram('From message to the whole answer', visibleBuckets, [
    'platform',
  ]),
  gateway_fenced_writes_total: fromStart(
    counter('Writes refused because another process took the session over', ['what']),
    ['turn'],
  ),
  gateway_delivery_attempts_total: counter('Parts sent, by what became of them', [
    'platform',
    'kind',
    'outcome',
  ]),
  gateway_delivery_pending: gauge('Replies not yet out', ['platform']),
  gateway_delivery_oldest_pending_age_seconds: gauge('Age of the oldest reply not yet out', ['platform']),
  gateway_rate_limit_wait_seconds: histogram('Waits a platform asked for', waitBuckets, [
    'platform',
    'scope',
  ]),
  gateway_rate_limited_total: counter('Times a platform asked to wait', ['platform', 'scope']),
  gateway_format_fallbacks_total: counter('Replies sent plain because their format was refused', [
    'platform',
    'reason',
  ]),
  gateway_dead_letters: gauge('What was given up and waits for an operator', ['kind']),
  gateway_build_info: gauge('Always 1; says which version runs', ['version']),
  gateway_config_last_reload_successful: gauge(
    '1 when the config on disk was taken the last time it changed, 0 when it would be refused',
  ),
  // Of the long-running parts; what a command line erases is an act of an operator.
  gateway_erasures_total: counter('Erasures of a message, a session or a person, by what became of them', [
    'scope',
    'outcome',
  ]),
  gateway_erased_messages_total: counter('Messages whose text was erased', ['scope']),
  // Ours, from the same SQL figures: alert 12 needs the unknown ones, and operators ask how much is running.
  gateway_delivery_unknown: gauge('Replies whose receipt was lost; they may be out'),
  gateway_turns_running: gauge('Turns running in all processes'),
  gateway_sessions: gauge('Open sessions'),
  // The command line ends before anybody could read a counter of its own: its acts are known from the list of them.
  gateway_operator_acts: gauge('What operators did so far, by hand on the pages or by the command line', [
    'act',
    'via',
  ]),
  gateway_metrics_dropped_total: counter(
    'Measurements not taken: unknown name, wrong labels, or too many series',
    ['why'],
  ),
};
