# Publishers, who may use the store, its name, and what a company sets for its desktops, kept by Terraform or OpenTofu. It needs no provider from a registry: the requests
# are idempotent, so they are sent again whenever something here changes. The token comes from the environment, and is in no state and no plan.
#
#   export SVC_ADMIN_TOKEN=…
#   terraform init && terraform apply -var store=https://apps.corp.example

variable "store" {
  type        = string
  description = "Address of the store, without a slash at the end."
}

locals {
  access = { signUp = "invited", publishers = "approved", read = "members" }
  brand  = { name = "Corp apps", accent = "#0b57b0" }
  settings = {
    requiredApps    = ["com.corp.tickets"]
    minimumVersions = { "com.corp.tickets" = "1.4.2" }
    allowedAgents   = ["claude-code"]
    exportChats     = false
    updateHours     = { from = "22:00", to = "06:00" }
  }
}

# The publishers of the company.
variable "publishers" {
  # Without `storageMiB` the limit is that of the policy of the store.
  type    = map(object({ name = string, verified = optional(bool, true), storageMiB = optional(number) }))
  default = { tools = { name = "Internal tools", storageMiB = 2048 } }
}

resource "terraform_data" "publisher" {
  for_each         = var.publishers
  triggers_replace = [var.store, each.value]

  provisioner "local-exec" {
    interpreter = ["sh", "-c"]
    command     = <<-EOT
      printf 'Authorization: Bearer %s\n' "$SVC_ADMIN_TOKEN" |
        curl --fail-with-body --silent --show-error -X PUT "$STORE/api/admin/publishers/$SLUG" \
          -H @- -H 'Content-Type: application/json' --data-raw "$PUBLISHER"
    EOT
    environment = {
      STORE     = var.store
      SLUG      = each.key
      PUBLISHER = jsonencode(each.value)
    }
  }
}

resource "terraform_data" "managed_settings" {
  triggers_replace = [var.store, local.settings]

  provisioner "local-exec" {
    interpreter = ["sh", "-c"]
    # The header comes from a file descriptor: a list of processes shows arguments.
    command = <<-EOT
      printf 'Authorization: Bearer %s\n' "$SVC_ADMIN_TOKEN" |
        curl --fail-with-body --silent --show-error -X PUT "$STORE/api/admin/managed-settings" \
          -H @- -H 'Content-Type: application/json' --data-raw "$SETTINGS"
    EOT
    environment = {
      STORE    = var.store
      SETTINGS = jsonencode({ settings = local.settings })
    }
  }
}

# Who may sign up, publish and read. A rule that a setting of the store (SVC_READ, …) fixes otherwise is refused.
resource "terraform_data" "access" {
  triggers_replace = [var.store, local.access]

  provisioner "local-exec" {
    interpreter = ["sh", "-c"]
    command     = <<-EOT
      printf 'Authorization: Bearer %s\n' "$SVC_ADMIN_TOKEN" |
        curl --fail-with-body --silent --show-error -X PUT "$STORE/api/admin/access" \
          -H @- -H 'Content-Type: application/json' --data-raw "$RULES"
    EOT
    environment = {
      STORE = var.store
      RULES = jsonencode(local.access)
    }
  }
}

# A logo: logo = filebase64("logo.png").
resource "terraform_data" "brand" {
  triggers_replace = [var.store, local.brand]

  provisioner "local-exec" {
    interpreter = ["sh", "-c"]
    command     = <<-EOT
      printf 'Authorization: Bearer %s\n' "$SVC_ADMIN_TOKEN" |
        curl --fail-with-body --silent --show-error -X PUT "$STORE/api/admin/brand" \
          -H @- -H 'Content-Type: application/json' --data-raw "$BRAND"
    EOT
    environment = {
      STORE = var.store
      BRAND = jsonencode(local.brand)
    }
  }
}
