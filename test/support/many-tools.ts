/** A tool as an MCP server lists it. */
export interface ListedTool {
  name: string;
  description: string;
  inputSchema: {
    type: "object";
    properties: Record<string, { type: string; description: string }>;
    required: string[];
  };
}

/** Parameters of tools, with their meaning. */
const PARAMETERS: Record<string, string> = {
  owner: "The account owner of the repository. The name is not case sensitive.",
  repo: "The name of the repository without the .git extension.",
  page: "Page number of the results to fetch, starting at 1.",
  per_page: "The number of results per page (max 100).",
  id: "The identifier of the object.",
  body: "The contents, as Markdown.",
  title: "A short title for people to read.",
  query: "The search query, with the qualifiers that the service supports.",
  fields: "A comma-separated list of fields to return; all of them by default.",
  project_key: "The key of the project, such as PROJ.",
  channel: "The id of the channel, such as C0123456789.",
  region: "The region, such as eu-west-1; by default that of the profile.",
  profile: "The name of the credentials profile to use.",
  dry_run: "Checks whether the call would succeed without changing anything.",
  limit: "The maximum number of items to return.",
  cursor: "The cursor of the page, as an earlier result gave it.",
};

/** The descriptions of the usual actions; `%` is the thing, `%s` its plural, and `#` its definition. */
const ACTIONS: Record<string, { text: string; isMany?: boolean; parameters: string }> = {
  list: { text: "Lists the %s, newest first. #", isMany: true, parameters: "page per_page" },
  get: { text: "Gets one % with all of its details. #", parameters: "id fields" },
  create: { text: "Creates a new %. # Requires write access.", parameters: "title body" },
  update: { text: "Updates an existing %; fields that are left out stay as they are. #", parameters: "id title body" },
  delete: { text: "Deletes a % for good. This can't be undone. #", parameters: "id dry_run" },
  search: {
    text: "Searches for %s that match a query, with filters and sorting. #",
    isMany: true,
    parameters: "query limit cursor",
  },
};

/** Things: name, plural, definition, and the actions that differ from the usual ones, as `name: text`. */
type Thing = readonly [name: string, plural: string, what: string, others?: Readonly<Record<string, string>>];

interface Server {
  name: string;
  parameters: string;
  things: readonly Thing[];
}

const SERVERS: readonly Server[] = [
  {
    name: "github",
    parameters: "owner repo",
    things: [
      [
        "issue",
        "issues",
        "An issue tracks a bug, an idea or a task of a repository.",
        {
          add_issue_comment: "Adds a comment to an issue or a pull request.",
          assign_issue: "Assigns people to an issue, up to ten.",
          close_issue: "Closes an issue as completed or not planned.",
          lock_issue: "Locks the conversation of an issue, so that only collaborators can write.",
          transfer_issue: "Moves an issue to another repository of the same owner.",
        },
      ],
      [
        "pull_request",
        "pull_requests",
        "A pull request proposes the commits of a branch to another.",
        {
          merge_pull_request: "Merges a pull request into its base branch by merge commit, squash or rebase.",
          get_pull_request_diff: "Gets the unified diff of the changes in a pull request.",
          list_pull_request_files: "Lists the files that a pull request changes, with additions and deletions.",
          request_pull_request_reviewers: "Requests reviews of a pull request from people or teams.",
          submit_pull_request_review: "Approves a pull request, requests changes, or comments on it.",
          get_pull_request_status: "Gets the combined state of the checks of a pull request.",
          update_pull_request_branch: "Brings the branch of a pull request up to date with its base.",
          convert_pull_request_to_draft: "Marks a pull request as a draft that isn't ready for review.",
        },
      ],
      [
        "repository",
        "repositories",
        "A repository holds a project's files and their history.",
        {
          fork_repository: "Forks a repository into an account or organization.",
          star_repository: "Stars a repository for the authenticated user.",
          archive_repository: "Archives a repository, which makes it read-only.",
          get_file_contents: "Reads the content of a file or directory at a ref, without a clone.",
          create_or_update_file: "Writes a single file in a branch with a commit.",
          push_files: "Pushes several files to a branch in one commit.",
          search_code: "Searches the code of all repositories for text or symbols.",
          list_contributors: "Lists who has contributed to a repository, by the number of commits.",
          get_repository_languages: "Gets the programming languages of a repository, in bytes.",
          get_traffic_views: "Gets how often the repository was visited in the last 14 days.",
        },
      ],
      [
        "branch",
        "branches",
        "A branch is a movable name for a line of commits.",
        {
          protect_branch: "Sets the protection rules of a branch: reviews, checks, and who may push.",
          rename_branch: "Renames a branch and retargets its pull requests.",
        },
      ],
      [
        "commit",
        "commits",
        "A commit is a snapshot of all files with a message.",
        {
          compare_commits: "Compares two commits, branches or tags and lists what changed between them.",
          create_commit_status: "Sets the state of a commit: error, failure, pending or success.",
          get_blame: "Tells for every line of a file which commit and author last changed it.",
        },
      ],
      [
        "release",
        "releases",
        "A release publishes a tag with notes and files to download.",
        {
          upload_release_asset: "Uploads a file to a release.",
          generate_release_notes:
            "Generates the text of release notes from the merged pull requests since the last tag.",
          get_latest_release: "Gets the newest published release that is no prerelease.",
        },
      ],
      ["tag", "tags", "A tag is a fixed name for a commit, such as a version."],
      ["label", "labels", "A label groups issues and pull requests by kind."],
      ["milestone", "milestones", "A milestone gathers issues with a due date."],
      [
        "workflow",
        "workflows",
        "A workflow is a file of GitHub Actions with jobs for continuous integration.",
        {
          dispatch_workflow: "Triggers a workflow with inputs on a ref (workflow_dispatch).",
          disable_workflow: "Disables a workflow, so that it no longer runs.",
        },
      ],
      [
        "workflow_run",
        "workflow_runs",
        "A workflow run is one execution of a GitHub Actions workflow.",
        {
          rerun_workflow_run: "Runs all jobs of a workflow run again.",
          rerun_failed_jobs: "Runs only the failed jobs of a workflow run again.",
          cancel_workflow_run: "Cancels a workflow run that is in progress.",
          get_job_logs: "Downloads the logs of a job of a workflow run as text.",
          list_workflow_artifacts: "Lists the artifacts that a workflow run has uploaded.",
          download_workflow_artifact: "Downloads an artifact of a workflow run as a zip file.",
        },
      ],
      ["secret", "secrets", "A secret is an encrypted value for GitHub Actions."],
      ["variable", "variables", "A variable is a plain value for GitHub Actions."],
      ["environment", "environments", "An environment is a target of deployments with rules."],
      ["deployment", "deployments", "A deployment asks for a ref to be brought to an environment."],
      [
        "webhook",
        "webhooks",
        "A webhook sends events of the repository to a URL.",
        {
          ping_webhook: "Sends a test event to the URL of a webhook.",
        },
      ],
      [
        "team",
        "teams",
        "A team is a group of people in an organization.",
        {
          add_team_member: "Adds a person to a team of the organization.",
          remove_team_member: "Removes a person from a team of the organization.",
        },
      ],
      ["discussion", "discussions", "A discussion is a conversation in the forum of a repository."],
      ["gist", "gists", "A gist shares a snippet of code outside of repositories."],
      [
        "notification",
        "notifications",
        "A notification tells of activity that the user follows.",
        {
          mark_notifications_read: "Marks all notifications as read up to a point in time.",
        },
      ],
      ["project_item", "project_items", "A project item is a row on a project board."],
      [
        "code_scanning_alert",
        "code_scanning_alerts",
        "A code scanning alert is a possible vulnerability that CodeQL found.",
      ],
      [
        "dependabot_alert",
        "dependabot_alerts",
        "A Dependabot alert is a dependency with a known vulnerability.",
        {
          dismiss_dependabot_alert: "Dismisses a Dependabot alert with a reason.",
        },
      ],
      [
        "secret_scanning_alert",
        "secret_scanning_alerts",
        "A secret scanning alert is a leaked credential in the history.",
      ],
      ["package", "packages", "A package is published to GitHub Packages: npm, Docker, Maven."],
    ],
  },
  {
    name: "workspace",
    parameters: "project_key",
    things: [
      [
        "jira_issue",
        "jira_issues",
        "A Jira issue is a ticket: a story, bug, task or epic.",
        {
          jira_transition_issue: "Moves a Jira ticket to another status of its workflow, such as In Progress or Done.",
          jira_assign_issue: "Assigns a Jira ticket to a person.",
          jira_add_comment: "Adds a comment to a Jira ticket.",
          jira_add_worklog: "Logs the time that was spent on a Jira ticket.",
          jira_link_issues: "Links two Jira tickets, such as blocks or relates to.",
          jira_add_watcher: "Lets a person watch a Jira ticket.",
          jira_add_attachment: "Attaches a file to a Jira ticket.",
          jira_get_changelog: "Gets the history of changes of a Jira ticket: who changed what, and when.",
        },
      ],
      [
        "jira_sprint",
        "jira_sprints",
        "A sprint is a time box of a Scrum board.",
        {
          jira_start_sprint: "Starts a planned sprint on a board.",
          jira_complete_sprint: "Completes the active sprint and moves open tickets on.",
          jira_move_issues_to_sprint: "Moves Jira tickets from the backlog into a sprint.",
        },
      ],
      [
        "jira_board",
        "jira_boards",
        "A board shows the tickets of a project, as Scrum or Kanban.",
        {
          jira_get_backlog: "Gets the tickets in the backlog of a board, in order of rank.",
        },
      ],
      ["jira_epic", "jira_epics", "An epic gathers stories of a larger goal."],
      [
        "jira_version",
        "jira_versions",
        "A version (fixVersion) is a planned or published release of a Jira project.",
        {
          jira_release_version: "Marks a version of a Jira project as released.",
        },
      ],
      ["jira_component", "jira_components", "A component is a part of a Jira project with a lead."],
      ["jira_filter", "jira_filters", "A filter is a saved JQL search."],
      ["jira_dashboard", "jira_dashboards", "A dashboard shows gadgets with figures."],
      ["jira_project", "jira_projects", "A Jira project holds tickets of one team or product."],
      [
        "confluence_page",
        "confluence_pages",
        "A Confluence page is a document of a wiki space.",
        {
          confluence_get_page_children: "Lists the child pages of a Confluence page.",
          confluence_add_page_comment: "Adds a footer comment to a Confluence page.",
          confluence_move_page: "Moves a Confluence page below another parent or space.",
          confluence_export_page_pdf: "Exports a Confluence page as PDF.",
        },
      ],
      ["confluence_space", "confluence_spaces", "A space gathers the wiki pages of a team."],
      ["confluence_blog_post", "confluence_blog_posts", "A blog post is a dated article in a space."],
      [
        "slack_channel",
        "slack_channels",
        "A Slack channel is a room for messages.",
        {
          slack_join_channel: "Joins a public Slack channel.",
          slack_invite_to_channel: "Invites people to a Slack channel.",
          slack_set_channel_topic: "Sets the topic of a Slack channel.",
          slack_get_channel_history: "Reads the newest messages of a Slack channel.",
        },
      ],
      [
        "slack_message",
        "slack_messages",
        "A Slack message is text in a channel or conversation.",
        {
          slack_post_message: "Posts a message to a Slack channel.",
          slack_reply_to_thread: "Replies to a message in its Slack thread.",
          slack_send_direct_message: "Sends a direct message to a person on Slack.",
          slack_schedule_message: "Schedules a Slack message for a later time.",
          slack_add_reaction: "Adds an emoji reaction to a Slack message.",
          slack_pin_message: "Pins a message to its Slack channel.",
          slack_get_thread_replies: "Reads all replies of a Slack thread.",
        },
      ],
      [
        "slack_user",
        "slack_users",
        "A Slack user is a person or a bot of the workspace.",
        {
          slack_set_status: "Sets the status text and emoji of the authenticated Slack user.",
          slack_get_presence: "Tells whether a Slack user is online or away.",
        },
      ],
      [
        "slack_file",
        "slack_files",
        "A file that was shared in Slack.",
        {
          slack_upload_file: "Uploads a file and shares it in Slack channels.",
        },
      ],
      ["slack_reminder", "slack_reminders", "A reminder of Slackbot at a time."],
      ["slack_usergroup", "slack_usergroups", "A user group is a handle that mentions several people."],
      [
        "calendar_event",
        "calendar_events",
        "A calendar event is an appointment with attendees.",
        {
          calendar_find_free_slot: "Finds a time at which all attendees are free for a meeting.",
          calendar_respond_to_invitation: "Accepts or declines an invitation.",
        },
      ],
      [
        "mail",
        "mails",
        "A mail of the user's mailbox.",
        {
          mail_reply: "Replies to a mail.",
          mail_move_to_folder: "Moves a mail to a folder.",
        },
      ],
      [
        "document",
        "documents",
        "A document in the shared drive.",
        {
          document_share: "Shares a document with people and sets what they may do.",
        },
      ],
      [
        "spreadsheet",
        "spreadsheets",
        "A spreadsheet in the shared drive.",
        {
          spreadsheet_append_row: "Appends a row of values to a sheet.",
          spreadsheet_read_range: "Reads the values of a range of cells, such as A1:C10.",
        },
      ],
      [
        "on_call_schedule",
        "on_call_schedules",
        "An on-call schedule says who is paged and when.",
        {
          get_current_on_call: "Tells who is on call now.",
          page_on_call: "Pages the person who is on call.",
        },
      ],
      [
        "incident",
        "incidents",
        "An incident is an outage that people work on.",
        {
          acknowledge_incident: "Acknowledges an incident, so that nobody else is paged.",
          resolve_incident: "Resolves an incident.",
        },
      ],
    ],
  },
  {
    name: "platform",
    parameters: "region profile",
    things: [
      [
        "ec2_instance",
        "ec2_instances",
        "An EC2 instance is a virtual machine.",
        {
          ec2_start_instances: "Starts stopped EC2 instances.",
          ec2_stop_instances: "Stops running EC2 instances; their volumes are kept.",
          ec2_reboot_instances: "Reboots EC2 instances.",
          ec2_get_console_output: "Gets the console output of an EC2 instance, for a boot that failed.",
        },
      ],
      [
        "s3_bucket",
        "s3_buckets",
        "An S3 bucket stores objects.",
        {
          s3_list_objects: "Lists the objects in an S3 bucket with a prefix.",
          s3_get_object: "Downloads an object from an S3 bucket.",
          s3_put_object: "Uploads an object to an S3 bucket.",
          s3_delete_object: "Deletes an object from an S3 bucket.",
          s3_presign_url: "Makes a temporary URL to download an object from an S3 bucket without credentials.",
          s3_set_bucket_policy: "Sets who may access an S3 bucket.",
        },
      ],
      [
        "lambda_function",
        "lambda_functions",
        "A Lambda function runs code without servers.",
        {
          lambda_invoke: "Invokes a Lambda function with a payload and returns its answer.",
          lambda_update_code: "Deploys new code to a Lambda function.",
          lambda_get_logs: "Gets the logs of recent invocations of a Lambda function.",
        },
      ],
      [
        "ecs_service",
        "ecs_services",
        "An ECS service keeps containers running.",
        {
          ecs_scale_service: "Sets how many tasks of an ECS service run.",
          ecs_redeploy_service: "Starts a new deployment of an ECS service with the same definition.",
        },
      ],
      [
        "kubernetes_deployment",
        "kubernetes_deployments",
        "A Kubernetes deployment keeps pods running.",
        {
          kubernetes_scale_deployment: "Sets the number of replicas of a Kubernetes deployment.",
          kubernetes_rollout_restart: "Restarts the pods of a Kubernetes deployment one after another.",
          kubernetes_rollout_undo: "Rolls a Kubernetes deployment back to its revision before.",
          kubernetes_apply_manifest: "Applies a YAML manifest to a Kubernetes cluster.",
        },
      ],
      [
        "kubernetes_pod",
        "kubernetes_pods",
        "A pod is a group of containers in a Kubernetes cluster.",
        {
          kubernetes_get_pod_logs: "Gets the logs of a container in a Kubernetes pod.",
          kubernetes_exec_pod: "Runs a command in a container of a Kubernetes pod.",
          kubernetes_describe_pod: "Describes a Kubernetes pod with its events, to see why it doesn't start.",
        },
      ],
      ["kubernetes_secret", "kubernetes_secrets", "A Kubernetes secret holds credentials for pods."],
      ["kubernetes_configmap", "kubernetes_configmaps", "A config map holds settings for pods."],
      [
        "database",
        "databases",
        "A Postgres database of the cluster.",
        {
          db_execute_query: "Executes a read-only SQL query (SELECT) and returns the rows.",
          db_execute_statement: "Executes a SQL statement that changes data: INSERT, UPDATE or DELETE.",
          db_explain_query: "Shows the execution plan of a SQL query and what it costs.",
          db_list_slow_queries: "Lists the slowest SQL queries of the last hours.",
          db_kill_session: "Ends a database session that blocks others.",
          db_backup: "Makes a backup of a database.",
          db_restore: "Restores a database from a backup.",
        },
      ],
      [
        "table",
        "tables",
        "A table of a database.",
        {
          db_describe_table: "Describes the columns, types and keys of a database table.",
          db_truncate_table: "Removes all rows of a table.",
          db_import_csv: "Imports rows from a CSV file into a table.",
          db_export_csv: "Exports the rows of a table or query as CSV.",
        },
      ],
      [
        "index",
        "indexes",
        "An index makes queries of a table fast.",
        {
          db_suggest_indexes: "Suggests indexes for the queries that were run.",
        },
      ],
      [
        "migration",
        "migrations",
        "A migration changes the schema of a database.",
        {
          db_apply_migrations: "Applies the pending migrations to a database.",
          db_rollback_migration: "Rolls the last migration back.",
        },
      ],
      [
        "iam_user",
        "iam_users",
        "An IAM user is an identity with access keys.",
        {
          iam_rotate_access_key: "Replaces the access key of an IAM user.",
        },
      ],
      [
        "iam_role",
        "iam_roles",
        "An IAM role is an identity that services take on.",
        {
          iam_attach_policy: "Attaches a policy to an IAM role.",
        },
      ],
      ["dns_record", "dns_records", "A DNS record points a domain name to an address."],
      [
        "load_balancer",
        "load_balancers",
        "A load balancer spreads requests over targets.",
        {
          get_target_health: "Tells which targets of a load balancer are healthy.",
        },
      ],
      ["certificate", "certificates", "A TLS certificate of a domain."],
      [
        "alarm",
        "alarms",
        "An alarm watches a metric and notifies when a threshold is crossed.",
        {
          silence_alarm: "Silences an alarm for a time.",
        },
      ],
      [
        "metric",
        "metrics",
        "A metric is a series of numbers, such as CPU usage.",
        {
          query_metrics: "Queries metrics over a time range with an aggregation, such as the CPU usage of a service.",
        },
      ],
      [
        "log_group",
        "log_groups",
        "A log group keeps the logs of an application.",
        {
          query_logs: "Searches log lines of a log group in a time range.",
          tail_logs: "Reads the newest log lines of a log group.",
        },
      ],
      [
        "queue",
        "queues",
        "A message queue (SQS).",
        {
          queue_purge: "Removes all messages from a queue.",
          queue_redrive_dead_letters: "Moves messages from a dead-letter queue back to their queue.",
        },
      ],
      [
        "cache_cluster",
        "cache_clusters",
        "A Redis cache cluster.",
        {
          cache_flush: "Removes all keys of a cache cluster.",
        },
      ],
      [
        "stack",
        "stacks",
        "A CloudFormation stack is a set of resources from a template.",
        {
          detect_stack_drift: "Finds resources of a stack that were changed by hand.",
        },
      ],
      [
        "budget",
        "budgets",
        "A budget warns when the costs of the account exceed a limit.",
        {
          get_cost_report: "Gets what the account has spent, by service and day.",
        },
      ],
      ["snapshot", "snapshots", "A snapshot is a copy of a volume."],
      ["vpc", "vpcs", "A VPC is a private network."],
      [
        "security_group",
        "security_groups",
        "A security group is a firewall of instances.",
        {
          authorize_ingress: "Opens a port of a security group to addresses.",
        },
      ],
    ],
  },
];

/** Returns the tools of three servers, as they might be: 500 of them, the same each time. */
export function manyTools(): Map<string, ListedTool[]> {
  const all = SERVERS.map((server) => [server.name, serverTools(server)] as const);
  const shares = new Map([
    ["github", 170],
    ["workspace", 160],
    ["platform", 170],
  ]);
  return new Map(all.map(([name, tools]) => [name, tools.slice(0, shares.get(name))]));
}

function serverTools({ things, parameters }: Server): ListedTool[] {
  const special = things.flatMap(([, , what, others = {}]) =>
    Object.entries(others).map(([name, text]) => listed(name, `${text} ${what}`, `${parameters} id body fields`)),
  );
  const usual = Object.entries(ACTIONS).flatMap(([action, { text, isMany = false, parameters: own }]) =>
    things.map(([name, plural, what]) => {
      const said = text
        .replaceAll("%s", plural.replaceAll("_", " "))
        .replaceAll("%", name.replaceAll("_", " "))
        .replaceAll("#", what);
      return listed(`${action}_${isMany ? plural : name}`, said, `${parameters} ${own}`);
    }),
  );
  return [...new Map([...special, ...usual].map((tool) => [tool.name, tool])).values()];
}

function listed(name: string, description: string, parameters: string): ListedTool {
  const names = [...new Set(parameters.split(" "))];
  const properties = names.map((parameter) => [
    parameter,
    { type: "string", description: PARAMETERS[parameter] ?? "" },
  ]);
  return {
    name,
    description,
    inputSchema: { type: "object", properties: Object.fromEntries(properties), required: names.slice(0, 1) },
  };
}
