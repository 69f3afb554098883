/** A part of the gateway that can run as a process of its own. */
export type Service = 'gateway' | 'worker' | 'dashboard';
