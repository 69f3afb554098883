CREATE TABLE "operator_actions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "operator_actions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"via" text NOT NULL,
	"act" text NOT NULL,
	"session_id" text,
	"target" text
);
--> statement-breakpoint
CREATE INDEX "operator_actions_session" ON "operator_actions" USING btree ("session_id","id");--> statement-breakpoint
CREATE INDEX "turns_started" ON "turns" USING btree ("started_at");