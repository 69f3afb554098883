CREATE TABLE "attempt_limits" (
	"name" text PRIMARY KEY NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp with time zone,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chat_members" (
	"chat_row_id" bigint NOT NULL,
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	CONSTRAINT "chat_members_chat_row_id_user_id_pk" PRIMARY KEY("chat_row_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "bot_streak" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "bot_streak_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "pairings" ADD COLUMN "purpose" text DEFAULT 'access' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_days" ADD COLUMN "turns" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_members" ADD CONSTRAINT "chat_members_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "chat_members_session" ON "chat_members" USING btree ("session_id");