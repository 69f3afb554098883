CREATE TABLE "hook_subscribers" (
	"name" text PRIMARY KEY NOT NULL,
	"events" text[] NOT NULL
);
--> statement-breakpoint
CREATE INDEX "hook_deliveries_dead" ON "hook_deliveries" USING btree ("event_id") WHERE state = 'dead';--> statement-breakpoint
CREATE INDEX "mailbox_dead" ON "mailbox" USING btree ("session_id") WHERE state = 'dead';