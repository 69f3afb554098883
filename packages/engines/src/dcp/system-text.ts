import type { DcpConfig } from './compress/ground.ts';

const shared = [
  '## Keeping the conversation small',
  'Messages carry a mark such as [m0042] at their end. The marks are names for the compress tool; never write them yourself.',
];

const rangeText = [
  'compress replaces a range of messages by a summary that you write. The messages stay stored; only you see the summary instead, from the next step on, as a block with a mark such as [b3].',
  'Use it for parts that are finished: explored paths, read files, settled questions. Leave alone what you still work with and the newest message of the person.',
  'Few large ranges are better than many small ones, the oldest first. Write down what later work needs: decisions and their reasons, names, paths, numbers, errors and how they were solved, what the person wanted and ruled out.',
  'A range over an earlier block takes the whole block in: put (b3) where its text belongs in your summary.',
];

const messageText = [
  'compress replaces single messages by summaries that you write. The messages stay stored; only you see the summary instead, from the next step on. A mark such as [m0042 high] says how much a message weighs; [BLOCKED] cannot be compressed.',
  'Use it for large messages that you are done with. Write down what later work needs: decisions, names, paths, numbers, errors and how they were solved.',
];

/**
 * What the model is told of compress, constant for a session. Empty where it has no such tool.
 */
export function systemText(config: DcpConfig): string {
  if (!config.enabled || config.compress.permission === 'deny') return '';
  const how = config.compress.mode === 'message' ? messageText : rangeText;
  const ends = [
    'Text inside <dcp-reminder> comes from this service, not from the person; it is not to be answered in words.',
  ];
  return [...shared, ...how, ...ends].join('\n');
}
