/**
 * What a thread is set up with. The program is made for work on a machine; here it only answers: no shell, no files, no
 * web, no plug-ins, no skills, and none of the texts that speak of them. A patch it may still propose is refused by the
 * sandbox. Names are those of Codex 0.171; unknown ones are left out by the program without a word.
 */
const closed: Readonly<Record<string, unknown>> = {
  web_search: 'disabled',
  include_environment_context: false,
  include_permissions_instructions: false,
  include_apps_instructions: false,
  include_collaboration_mode_instructions: false,
  'skills.include_instructions': false,
  'tools.experimental_request_user_input.enabled': false,
  'features.shell_tool': false,
  'features.unified_exec': false,
  'features.view_image': false,
  'features.image_generation': false,
  'features.multi_agent': false,
  'features.goals': false,
  'features.hooks': false,
  'features.apps': false,
  'features.plugins': false,
  'features.tool_suggest': false,
  // Programs of the operator's own that would run at the end of each turn.
  notify: [],
  // A thread has one writer: let go, it must be free at once for the next process of ours.
  thread_unload_delay_secs: 0,
};

/** Settings of a thread at its start and whenever it is loaded. `system` null: its instructions stay. */
export function threadSettings(thread: {
  folder: string;
  toolServers: readonly string[];
  model: string;
  system: string | null;
}): object {
  const off = thread.toolServers.map((name) => [name, { enabled: false }]);
  return {
    cwd: thread.folder,
    model: thread.model,
    approvalPolicy: 'never',
    sandbox: 'read-only',
    ...(thread.system === null ? {} : { baseInstructions: thread.system }),
    config: off.length > 0 ? { ...closed, mcp_servers: Object.fromEntries(off) } : closed,
  };
}
