export * from './chats.ts';
export * from './compactions.ts';
export * from './intake.ts';
export * from './outbox.ts';
export * from './sessions.ts';
export * from './transcript.ts';
export * from './turns.ts';
