/** A command as a platform's own menu shows it. */
export interface MenuCommand {
  /** [a-z0-9_]{1,32} */
  name: string;
  /** 1 to 100 characters. */
  description: string;
  /** The description in other languages, by the two letters of each. */
  translations: Readonly<Record<string, string>>;
  /** What may follow the name, in 1 to 100 characters; left out: nothing. */
  argument?: string;
  /** Works only in direct messages. */
  directOnly: boolean;
  /** Kept for admins. */
  adminOnly: boolean;
}

/** What platforms show in their menus, and the memory of what each was last told: it is told again only when it changed. */
export interface CommandMenu {
  commands: readonly MenuCommand[];
  /** Numeric ids of the platform's admins. */
  admins: readonly string[];
  /** Null when nothing was told under that name yet. */
  lastTold(name: string): Promise<string | null>;
  remember(name: string, value: string): Promise<void>;
}
