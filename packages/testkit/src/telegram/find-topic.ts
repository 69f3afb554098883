import { badRequest } from './api-error.ts';
import type { ChatRecord, Topic } from './chat-book.ts';

/** Find the open topic a call names; throws 400 for unknown, deleted and closed ones (General has no id). */
export function findTopic(record: ChatRecord, threadId: number): Topic {
  const topic = record.topics.get(threadId);
  if (!topic || topic.state === 'deleted') throw badRequest('message thread not found');
  if (topic.state === 'closed') throw badRequest('TOPIC_CLOSED');
  return topic;
}
