CREATE TABLE "session_tools" (
	"session_id" text PRIMARY KEY NOT NULL,
	"tools" text NOT NULL,
	"fixed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "session_tools" ADD CONSTRAINT "session_tools_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;