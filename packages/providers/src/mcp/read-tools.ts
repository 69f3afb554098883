import { cleanDeep, type ServerTool } from '@palimpsest/core';
import { cleanParameters } from './clean-schema.ts';
import { toolName } from './tool-names.ts';

/** More tools than this from one server only confuse a model and fill its window. */
export const maxTools = 128;
/** The shorter of what the routes take. */
const longestDescription = 1_024;

/**
 * The tools of one answered list, as they are offered: by name, whatever order the server has them in, since a different
 * order is a different prompt. What is no tool, or cannot be called by a model, is left out.
 */
export function readTools(server: string, listed: readonly unknown[]): readonly ServerTool[] {
  const byName = new Map<string, Record<string, unknown>>();
  for (const item of listed) {
    if (!isObject(item) || typeof item['name'] !== 'string' || item['name'] === '') continue;
    if (!byName.has(item['name'])) byName.set(item['name'], item);
  }
  const taken = new Set<string>();
  const tools: ServerTool[] = [];
  for (const [name, item] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, maxTools)) {
    const parameters = cleanParameters(item['inputSchema']);
    if (!parameters) continue;
    const shown = toolName(server, name, taken);
    taken.add(shown);
    const description = descriptionOf(item, name);
    const schema = { name: shown, description, parameters };
    // As it will be read back from the store, byte for byte.
    tools.push(cleanDeep({ server, name, schema, repeatable: isHarmless(item['annotations']) }));
  }
  return tools;
}

function descriptionOf(item: Record<string, unknown>, name: string): string {
  const { description, title } = item;
  const text = typeof description === 'string' && description.trim() !== '' ? description : title;
  return (typeof text === 'string' && text.trim() !== '' ? text : name)
    .trim()
    .slice(0, longestDescription)
    .toWellFormed();
}

/** A wrong hint harms nobody but who gave it: the tool may run twice after a crash. */
function isHarmless(annotations: unknown): boolean {
  if (!isObject(annotations)) return false;
  return annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
